import type { TFunction } from 'i18next';
import { describe, expect, it } from 'vitest';
import { type CasePosition, drawingOf, type ProcessGraphData } from './process';

const t = ((key: string, values?: { count?: number; defaultValue?: string }) =>
  values?.count ? `${key} ${values.count}` : key) as unknown as TFunction<'translation'>;

const node = (id: string, kind: string) => ({
  id,
  kind,
  label: id,
  labels: [{ name: 'zh', value: `${id}中` }],
  within: '',
  queue: kind === 'review' ? 'L1' : '',
  seats: 1,
  quorum: 1,
  decideBy: '',
  votesHidden: false,
});
const graph: ProcessGraphData = {
  nodes: [
    node('start', 'start'),
    node('split', 'fork'),
    node('kyc', 'review'),
    node('scan', 'stage'),
    node('both', 'join'),
    node('sealed', 'stage'),
  ],
  lines: [
    { id: '1', from: 'start', to: 'split', kind: 'NEXT', label: '' },
    { id: '2', from: 'split', to: 'kyc', kind: 'NEXT', label: '' },
    { id: '3', from: 'split', to: 'scan', kind: 'NEXT', label: '' },
    { id: '4', from: 'kyc', to: 'split', kind: 'RETURN', label: 'return' },
    {
      id: '5',
      from: 'scan',
      to: 'both',
      kind: 'BRANCH',
      label: 'risk > 40 && amount_known && base_minor > 1',
    },
    { id: '6', from: '', to: 'sealed', kind: 'ABANDON', label: '' },
  ],
};
const position: CasePosition = {
  tokens: [
    { node: 'kyc', visit: 2 },
    { node: 'scan', visit: 1 },
    { node: 'both', visit: 1 },
  ],
  visits: [
    { node: 'start', visit: 1 },
    { node: 'split', visit: 2 },
    { node: 'kyc', visit: 2 },
    { node: 'scan', visit: 1 },
  ],
  failed: null,
  returnsTo: null,
};
const states = (now: CasePosition) =>
  Object.fromEntries(
    drawingOf(graph, { t, language: 'en', position: now }).nodes.map(({ id, state }) => [
      id,
      state,
    ]),
  );

describe('the position of a case in its process', () => {
  it('shows parallel nodes and the join that waits for them', () => {
    expect(states(position)).toMatchObject({
      start: 'done',
      split: 'done',
      kyc: 'asks',
      scan: 'active',
      both: 'waits',
      sealed: 'idle',
    });
  });

  it('shows the failed step, and where a returned case continues', () => {
    expect(states({ ...position, failed: 'scan' }).scan).toBe('failed');
    expect(states({ ...position, tokens: [], returnsTo: 'split' })).toMatchObject({
      split: 'asks',
      kyc: 'done',
    });
  });

  it('shows the number of visits in the language', () => {
    const { nodes } = drawingOf(graph, { t, language: 'zh', position });
    expect(nodes.find(({ id }) => id === 'kyc')).toMatchObject({
      label: 'kyc中',
      note: 'ui.graph.queue · ui.graph.visits 2',
    });
  });
});

describe('the edges of a process', () => {
  it('start at a synthetic node if they start anywhere, and shorten long labels', () => {
    const { nodes, lines } = drawingOf(graph, { t, language: 'en' });
    expect(nodes[0]?.kind).toBe('anywhere');
    expect(lines.find(({ id }) => id === '6')?.from).toBe(nodes[0]?.id);
    const guard = lines.find(({ id }) => id === '5');
    expect(guard?.label?.length).toBeLessThanOrEqual(26);
    expect(guard?.title).toBe('risk > 40 && amount_known && base_minor > 1');
  });

  it('are marked along a traced path', () => {
    const trace = {
      path: [
        { event: 'start', node: 'start' },
        { event: 'x', node: 'split' },
      ],
      fault: 'scan',
    };
    const { nodes, lines } = drawingOf(graph, { t, language: 'en', trace });
    expect(lines.filter(({ marked }) => marked).map(({ id }) => id)).toEqual(['1', '3']);
    expect(nodes.find(({ id }) => id === 'split')?.steps).toEqual([2]);
    expect(nodes.find(({ id }) => id === 'scan')?.fault).toBe(true);
  });
});

it('draws the reminder of the submitter at the return', () => {
  const say = ((key: string, values?: { time?: string }) =>
    values?.time ? `${key} ${values.time}` : key) as unknown as TFunction<'translation'>;
  const returned = (remindSubmitter: string | null) =>
    drawingOf({ ...graph, remindSubmitter }, { t: say, language: 'en' }).lines.find(
      ({ kind }) => kind === 'return',
    )?.title;
  expect(returned('72h')).toBe('ui.graph.returnReminder 72h');
  expect(returned(null)).toBe('ui.graph.verdict.return');
});
