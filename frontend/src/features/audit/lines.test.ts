import { describe, expect, it } from 'vitest';
import { countByKind, lastSeq, lineKindOf } from './lines';

const event = { kind: 'EVENT', code: null, seq: '7' } as const;
const access = { kind: 'ACCESS', code: null, seq: null } as const;
const refusal = { kind: 'ACCESS', code: 'FourEyes', seq: null } as const;

describe('the lines of a trail', () => {
  it('are classified', () => {
    expect([event, access, refusal].map(lineKindOf)).toEqual(['events', 'accesses', 'refusals']);
    expect(countByKind([event, access, refusal, refusal])).toEqual({
      events: 1,
      accesses: 1,
      refusals: 2,
    });
  });

  it('have the newest sequence number', () => {
    expect(lastSeq([event, { seq: '12' }, access])).toBe(12n);
    expect(lastSeq([access])).toBe(-1n);
  });
});
