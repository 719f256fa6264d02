import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { starter } from '../starter';
import { type CallableProcess, setCalled, withoutCalled } from './call';
import { addNode, setAttribute } from './change';
import { connectionsOf, type Design, readDesign } from './design';

const check: CallableProcess = { key: 'check', title: 'Check', titles: [], ends: ['done'] };
const kyc: CallableProcess = {
  key: 'kyc_check',
  title: 'KYC',
  titles: [],
  ends: ['passed', 'failed'],
};

function designOf(text: string): Design {
  const read = readDesign(text);
  if (!('design' in read)) throw new Error(JSON.stringify(read.problem));
  return read.design;
}

const nodeOf = (design: Design, id: string) => {
  const node = design.nodes.find((one) => one.id === id);
  if (!node) throw new Error(`no node ${id}`);
  return node;
};

/** The starter with a call before its node validate. */
function called(process: CallableProcess) {
  const design = designOf(starter);
  const extract = nodeOf(design, 'extract');
  const [connection] = connectionsOf(extract);
  if (!connection) throw new Error('no connection');
  return addNode(starter, design, extract, connection, 'call', process);
}

describe('a call of another process', () => {
  it('is inserted with a target for every end', () => {
    const { text, id } = called(kyc);
    const call = nodeOf(designOf(text), id).attributes;
    expect(call).toMatchObject({ kind: 'call', process: 'kyc_check' });
    expect(call.on).toEqual({ passed: 'validate', failed: 'seal_rejected' });
    expect(nodeOf(designOf(text), 'extract').attributes.next).toBe(id);
  });

  it('leads on directly if the process has one end', () => {
    const { text, id } = called(check);
    expect(nodeOf(designOf(text), id).attributes).toMatchObject({ next: 'validate' });
  });

  it('keeps the targets of ends that the other process also has', () => {
    const { text, id } = called(kyc);
    const moved = setAttribute(
      text,
      nodeOf(designOf(text), id),
      ['on', 'failed'],
      'seal_abandoned',
    );
    const other = { ...kyc, key: 'other', ends: ['passed', 'failed', 'unclear'] };
    const design = designOf(moved);
    const changed = setCalled(moved, design, nodeOf(design, id), other);
    expect(nodeOf(designOf(changed), id).attributes.on).toEqual({
      passed: 'validate',
      failed: 'seal_abandoned',
      unclear: 'seal_rejected',
    });
    const single = setCalled(changed, designOf(changed), nodeOf(designOf(changed), id), check);
    expect(nodeOf(designOf(single), id).attributes).not.toHaveProperty('on');
    expect(nodeOf(designOf(single), id).attributes).toMatchObject({ next: 'validate' });
  });
});

it('the recorded processes are left out of the text that people edit', () => {
  const block =
    'called:\n  - process: kyc_check\n    version: 3\n    sha256: 00\n    text: |\n      key: kyc_check\n\n      called:\n        - process: other\n';
  expect(withoutCalled(starter + block)).toBe(starter);
  expect(withoutCalled(starter + block.trimEnd())).toBe(starter);
  expect(withoutCalled(starter)).toBe(starter);
  expect(parse(withoutCalled(`${block}key: x\n`))).toEqual({ key: 'x' });
});
