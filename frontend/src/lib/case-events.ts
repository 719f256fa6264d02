// What the page does when it hears of an event: a table with a line for every type of the generated contracts.
import type { CountersignEvent } from '../graphql/generated/events';

export type EventType = CountersignEvent['type'];

/**
 * What a page that shows the case has to read again besides the event itself, which already carries the case's own
 * values: nothing, its lists (fields, findings, documents, reviews, decisions, the incident), or nothing because the
 * event is not of a case at all.
 */
export type EventEffect = 'line' | 'lists' | 'elsewhere';

export const eventEffects: Record<EventType, EventEffect> = {
  'case.abandoned': 'lists',
  'case.approved': 'lists',
  'case.archived': 'lists',
  'case.rejected': 'lists',
  'case.resubmitted': 'lists',
  'case.returned': 'lists',
  'case.status_changed': 'lists',
  'case.submitted': 'lists',
  'party.grouped': 'elsewhere',
  'account.declared': 'elsewhere',
  'delegation.created': 'elsewhere',
  'delegation.ended': 'elsewhere',
  'absence.set': 'elsewhere',
  'absence.ended': 'elsewhere',
  'policy.proposed': 'elsewhere',
  'policy.withdrawn': 'elsewhere',
  'role.defined': 'elsewhere',
  'conflict.declared': 'elsewhere',
  'conflict.ended': 'elsewhere',
  'definition.proposed': 'elsewhere',
  'definition.published': 'elsewhere',
  'definition.withdrawn': 'elsewhere',
  'document.replaced': 'lists',
  'fields.corrected': 'lists',
  'incident.opened': 'lists',
  'incident.resolved': 'lists',
  'limit.changed': 'elsewhere',
  'policy.published': 'elsewhere',
  'calendar.changed': 'elsewhere',
  'case.reopened': 'lists',
  'decision.settled': 'lists',
  'decision.undone': 'lists',
  'person.skills_changed': 'elsewhere',
  'queue.changed': 'elsewhere',
  'review.moved': 'lists',
  'review.paused': 'lists',
  'review.resumed': 'lists',
  'review.at_risk': 'line',
  'review.cancelled': 'lists',
  'review.claimed': 'lists',
  'review.decided': 'lists',
  'review.opened': 'lists',
  'review.overdue': 'line',
  'review.reassigned': 'lists',
  'review.released': 'lists',
  'saga.compensated': 'line',
  'saga.step_done': 'line',
  'saga.step_failed': 'line',
  'stage.completed': 'lists',
  'stage.failed': 'lists',
  'stage.retrying': 'lists',
  'stage.started': 'line',
  'timer.fired': 'line',
  'timer.started': 'line',
  'user.changed': 'elsewhere',
  'user.created': 'elsewhere',
  'vote.fell': 'lists',
  'work.timed_out': 'line',
};

/** Whether the type is one of the contracts this page was built with. */
export function isKnownEvent(type: string): type is EventType {
  return Object.hasOwn(eventEffects, type);
}

/** What to do about an event; one that is not known means that anything may have changed. */
export function effectOf(type: string): EventEffect {
  return isKnownEvent(type) ? eventEffects[type] : 'lists';
}
