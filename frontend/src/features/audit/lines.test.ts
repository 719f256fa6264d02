import { describe, expect, it } from 'vitest';
import { correctedValues, countByKind, groupViews, type Line, lastSeq, lineKindOf } from './lines';

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

  it('do not count a question for confirmation as a refusal', () => {
    expect(lineKindOf({ kind: 'ACCESS', code: 'ConfirmationNeeded' })).toBe('accesses');
  });

  const view = (actor: string, at: string, more: Partial<Line> = {}) =>
    ({
      kind: 'ACCESS',
      type: 'read',
      object: 'case',
      code: null,
      at,
      actor: { id: actor, name: actor },
      onBehalfOf: null,
      ...more,
    }) as Line;

  it('are grouped if they are consecutive views by one person', () => {
    const grouped = groupViews([
      view('jo', '1'),
      view('jo', '2'),
      view('mia', '3'),
      view('jo', '4'),
      view('jo', '5', { object: 'review' }),
      view('jo', '6', { code: 'FourEyes' }),
      view('jo', '7', { code: 'FourEyes' }),
    ]);
    expect(grouped.map(({ count, until }) => [count, until])).toEqual([
      [2, '2'],
      [1, '3'],
      [1, '4'],
      [1, '5'],
      [1, '6'],
      [1, '7'],
    ]);
  });

  it('count the requests of one page as one view, and keep their number', () => {
    const at = (seconds: string) => view('jo', `2026-11-30T10:00:${seconds}Z`);
    const grouped = groupViews([
      at('00.000'),
      at('00.120'),
      at('01.900'),
      at('30.000'),
      at('30.001'),
    ]);
    expect(grouped.map(({ count, requests }) => [count, requests])).toEqual([[2, 5]]);
  });

  it('show what a correction changed', () => {
    const body = { fields: [{ name: 'total', before: '1.00', after: '2.00' }, { name: 'iban' }] };
    expect(correctedValues({ type: 'fields.corrected', body })).toEqual([
      { name: 'total', before: '1.00', after: '2.00' },
      { name: 'iban', before: '', after: '' },
    ]);
    expect(correctedValues({ type: 'case.approved', body })).toEqual([]);
    expect(correctedValues({ type: 'fields.corrected', body: null })).toEqual([]);
  });
});
