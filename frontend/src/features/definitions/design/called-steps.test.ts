// Called steps on the edited drawing: in a frame, with the connections of the call that are edited.
import { describe, expect, it } from 'vitest';
import type { ProcessGraphData } from '../../../ui/graph/process';
import { pathIn, withCalledSteps } from './called-steps';
import { type Design, graphOf, readDesign } from './design';

const text = (process: string) => `key: caller
nodes:
  - {id: start, kind: start, next: kyc}
  - {id: kyc, kind: call, process: ${process}, on: {passed: archived, refused: rejected}}
  - {id: archived, kind: end}
  - {id: rejected, kind: end}
`;
const designOf = (document: string): Design => {
  const read = readDesign(document);
  if (!('design' in read)) throw new Error('unreadable');
  return read.design;
};
const node = (id: string, kind: string, within = '') => ({
  ...{ id, kind, within, label: id, labels: [], queue: '', seats: 1, quorum: 1 },
  ...{ decideBy: '', votesHidden: false },
});
const line = (from: string, to: string, kind = 'NEXT') => ({
  ...{ id: `${from}>${to}`, from, to, kind, label: '' },
});
const graph: ProcessGraphData = {
  nodes: [
    ...[node('start', 'start'), node('kyc', 'call'), node('kyc/check', 'review', 'kyc')],
    ...[node('kyc/passed', 'exclusive', 'kyc'), node('kyc/refused', 'exclusive', 'kyc')],
    ...[node('archived', 'end'), node('rejected', 'end')],
  ],
  lines: [
    ...[line('start', 'kyc'), line('kyc', 'kyc/check'), line('kyc/check', 'kyc/passed')],
    ...[line('kyc/check', 'kyc/refused'), line('kyc/check', 'start', 'RETURN')],
    ...[line('kyc/passed', 'archived'), line('kyc/refused', 'rejected')],
  ],
};
const composed = { graph, processes: new Map([['kyc', 'identity']]) };
const drawn = (process: string) => {
  const design = designOf(text(process));
  return withCalledSteps(graphOf(design), design, composed);
};

describe('called steps on the edited drawing', () => {
  it('are inside of their call, whose connections keep their places in the text', () => {
    const { nodes, lines } = drawn('identity');
    expect(nodes.filter(({ within }) => within === 'kyc').map(({ id }) => id)).toEqual([
      ...['kyc/check', 'kyc/passed', 'kyc/refused'],
    ]);
    const own = lines.filter(({ id }) => id.startsWith('kyc/on/'));
    expect(own.map(({ id, from, to }) => `${id}: ${from} ${to}`)).toEqual([
      'kyc/on/passed: kyc/passed archived',
      'kyc/on/refused: kyc/refused rejected',
    ]);
    expect(lines.filter(({ to }) => to === 'archived')).toHaveLength(1);
    expect(lines.some(({ kind }) => kind === 'RETURN')).toBe(true);
  });

  it('are those of no other process, while the text is checked', () => {
    const { nodes, lines } = drawn('another');
    expect(nodes.map(({ id }) => id)).toEqual(['start', 'kyc', 'archived', 'rejected']);
    expect(lines.every(({ from }) => !from.includes('kyc/'))).toBe(true);
    const trace = { path: [{ event: 'x', node: 'kyc/check' }], fault: 'kyc/passed' };
    expect(pathIn(drawn('another'), trace).fault).toBe('kyc');
    expect(pathIn(drawn('identity'), trace).fault).toBe('kyc/passed');
  });
});
