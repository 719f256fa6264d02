import type { TFunction } from 'i18next';
import { describe, expect, it } from 'vitest';
import { causeText, countRepairs, groupsOf, linesOf, type ServerGroup } from './groups';
import type { Incident, Repair } from './repairs';

const cause = { code: 'EngineFailed', node: 'read' };
const server = {
  ...cause,
  message: 'The engine failed.',
  count: 2,
  oldest: 'a',
  newest: 'b',
} as ServerGroup;
const incident = (id: string) =>
  ({ id, ...cause, message: 'The engine failed.', case: { id: `case-${id}` } }) as Incident;

/** A repair in the given state, as the page sees its machine. */
function repair(
  id: string,
  value: string,
  context: Partial<Repair['state']['context']> = {},
): Repair {
  const done = value === 'passed' || value === 'closed';
  const state = {
    value,
    status: done ? 'done' : 'active',
    matches: (one: string) => one === value,
    context: { failedAgain: false, problem: null, ...context },
  };
  return {
    incident: incident(id),
    group: 'read EngineFailed',
    state: state as unknown as Repair['state'],
  };
}

describe('causes', () => {
  it('keeps a cause that only repairs remain of', () => {
    const [group, ...more] = groupsOf([], [repair('1', 'queued')]);
    expect(more).toEqual([]);
    expect(group).toMatchObject({ code: 'EngineFailed', node: 'read', count: 0 });
  });

  it('lists repairs under their original cause', () => {
    const groups = groupsOf([server], [repair('1', 'queued'), repair('2', 'passed')]);
    expect(groups).toHaveLength(1);
    expect(groups[0]?.repairs).toHaveLength(2);
  });

  it('shows an incident once while it is repaired, and again when it fails after completion', () => {
    const openIncidents = [incident('1'), incident('2'), incident('3')];
    const repairs = [repair('1', 'open'), repair('2', 'passed')];
    const [group] = groupsOf([server], repairs);
    if (!group) throw new Error('there is no group');
    const lines = linesOf(openIncidents, group, repairs);
    expect(lines.map((line) => [line.incident.id, line.repair !== null])).toEqual([
      ['1', true],
      ['2', true],
      ['2', false],
      ['3', false],
    ]);
  });

  it('says of a cause only what all its incidents have in common', () => {
    const t = ((key: string, options?: { defaultValue?: string }) =>
      key === 'refusals.EngineFailed'
        ? 'neutral'
        : (options?.defaultValue ?? key)) as unknown as TFunction<'translation'>;
    expect(causeText(t, 'en', { code: 'EngineFailed', message: '' })).toBe('neutral');
    expect(causeText(t, 'en', server)).toBe('The engine failed.');
    expect(causeText(t, 'en', { code: 'Odd', message: '' })).toBe('Odd');
    const other = repair('1', 'queued');
    other.incident = { ...other.incident, message: 'The engine failed after 9 kB.' };
    expect(groupsOf([server], [other])[0]?.message).toBe('');
    expect(groupsOf([], [other])[0]?.message).toBe('The engine failed after 9 kB.');
    expect(groupsOf([], [other, repair('2', 'queued')])[0]?.message).toBe('');
  });

  it('counts repairs by progress', () => {
    const repairs = [
      repair('1', 'sending'),
      repair('2', 'queued'),
      repair('3', 'passed'),
      repair('4', 'open', { failedAgain: true }),
      repair('5', 'open'),
      repair('6', 'closed'),
    ];
    expect(countRepairs(repairs)).toEqual({ queued: 2, passed: 1, failed: 1, ended: 1 });
  });
});
