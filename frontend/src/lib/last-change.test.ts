import { expect, it } from 'vitest';
import { lastChangeByOther } from './last-change';

const event = (type: string, id: string | null) => ({ type, actor: id === null ? null : { id } });

it('finds the newest change by another person', () => {
  const kim = event('fields.corrected', 'kim');
  const of = (...events: ReturnType<typeof event>[]) => lastChangeByOther(events, 'me');
  expect(of(event('review.claimed', 'kim'), kim, event('fields.corrected', 'me'))).toBe(kim);
  expect(of(kim, event('stage.completed', 'kim'), event('case.escalated', null))).toBe(kim);
  expect(of(event('fields.corrected', 'me'), event('stage.started', 'kim'))).toBeNull();
  expect(of()).toBeNull();
});
