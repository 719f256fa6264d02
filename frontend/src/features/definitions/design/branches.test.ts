import { expect, it } from 'vitest';
import { starter } from '../starter';
import { timeLimitTarget } from './branches';
import { addNode } from './change';
import { connectionsOf, type Design, readDesign } from './design';

function designOf(text: string): Design {
  const read = readDesign(text);
  if (!('design' in read)) throw new Error(JSON.stringify(read.problem));
  return read.design;
}

/** The process with two parallel reviews before its review. */
function parallel(): string {
  const design = designOf(starter);
  const validate = design.nodes.find(({ id }) => id === 'validate');
  const [next] = validate ? connectionsOf(validate) : [];
  if (!validate || !next) throw new Error('the starter has no validation');
  return addNode(starter, design, validate, next, 'parallel').text;
}

/** The rejection of a review that is inserted into a connection of a node. */
function rejectionOf(text: string, from: string, label: string): boolean | null | undefined {
  const design = designOf(text);
  const node = design.nodes.find(({ id }) => id === from);
  const connection = node && connectionsOf(node).find((one) => one.label === label);
  if (!node || !connection) throw new Error(`${from} has no ${label}`);
  const added = addNode(text, design, node, connection, 'review');
  const review = designOf(added.text).nodes.find(({ id }) => id === added.id);
  return review && connectionsOf(review).find((one) => one.label === 'reject')?.cancelsAll;
}

it('two parallel reviews are decided by two people, because votes of one duty are', () => {
  const reviews = designOf(parallel()).nodes.filter(({ kind }) => kind === 'review');
  expect(reviews).toHaveLength(3);
  for (const { id, attributes } of reviews)
    expect(attributes.duty ?? 'approval', id).toBe('approval');
});

it('a rejection in a branch withdraws the other branches, elsewhere it does not', () => {
  const text = parallel();
  expect(rejectionOf(text, 'review_2', 'approve')).toBe(true);
  expect(rejectionOf(text, 'review', 'approve')).toBe(false);
  expect(rejectionOf(text, 'join', '')).toBe(false);
  const limited = text.replace(
    '  - id: review_3\n    kind: review\n',
    '  - id: review_3\n    kind: review\n    timeout: {after: 24h, to: join}\n',
  );
  expect(rejectionOf(limited, 'review_3', '24h')).toBe(true);
});

it('a new time limit in a branch leads to a review of the branch, not to one behind the join', () => {
  const limitOf = (text: string, id: string) => {
    const design = designOf(text);
    const node = design.nodes.find((one) => one.id === id);
    return node && timeLimitTarget(design, node);
  };
  const text = parallel();
  expect(limitOf(text, 'review_2')).toBe('seal_rejected');
  expect(limitOf(text, 'review')).toBe('seal_rejected');
  const second = text.replace(
    '  - id: join\n',
    '  - {id: late, kind: review, queue: L2, on: {approve: join, reject: seal_rejected}}\n  - id: join\n',
  );
  expect(limitOf(second.replace('approve: join', 'approve: late'), 'review_2')).toBe('late');
  expect(limitOf(starter, 'review')).toBe('seal_rejected');
});
