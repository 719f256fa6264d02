// The effect of each event type on the pages, for every type of the generated contracts.
import type { CountersignEvent } from '../graphql/generated/events';

export type EventType = CountersignEvent['type'];

/**
 * What a page that shows the case has to reload after an event. The event itself carries the case's
 * own fields. line: nothing. lists: fields, findings, documents, reviews, decisions and the
 * incident. elsewhere: nothing, because the event does not belong to a case.
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

/** Whether this build knows the event type. */
export function isKnownEvent(type: string): type is EventType {
  return Object.hasOwn(eventEffects, type);
}

/** The effect of an event type; an unknown type may have changed anything. */
export function effectOf(type: string): EventEffect {
  return isKnownEvent(type) ? eventEffects[type] : 'lists';
}
