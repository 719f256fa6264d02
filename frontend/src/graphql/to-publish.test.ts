import { expect, it } from 'vitest';
import type { OpenProposalsQuery } from './generated/graphql';
import { countToPublish } from './to-publish';

it('counts what other people proposed, by kind', () => {
  const by = (id: string) => ({ proposedBy: { id } });
  const open = {
    proposals: {
      nodes: [
        { kind: 'PROCESS', ...by('ada') },
        { kind: 'PROCESS', ...by('me') },
        { kind: 'RULE_SET', ...by('ada') },
      ],
    },
    controlChanges: { nodes: [by('ada'), by('me'), { proposedBy: null }] },
  } as OpenProposalsQuery;
  expect([...countToPublish(open, 'me')]).toEqual([
    ['PROCESS', 1],
    ['RULE_SET', 1],
    ['CONTROL', 2],
  ]);
});
