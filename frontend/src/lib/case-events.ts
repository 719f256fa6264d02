// The effect of each event type on the pages. The types are those of the generated contracts.
import { type CountersignEvent, eventAudience } from '../graphql/generated/events';

export type EventType = CountersignEvent['type'];

/** Every event type, from the contracts. */
export const eventTypes = Object.keys(eventAudience) as EventType[];

/**
 * What a page that shows the case has to reload after an event. The event itself carries the case's
 * own fields. line: nothing. lists: fields, findings, documents, reviews, decisions and the
 * incident.
 */
export type EventEffect = 'line' | 'lists';

/** The types that change nothing except their line in the timeline; all others reload the lists. */
const lineOnly: ReadonlySet<string> = new Set<EventType>([
  'case.internal_note_added',
  'case.internal_note_withdrawn',
  'case.note_added',
  'case.note_withdrawn',
  'case.reminded',
  'review.at_risk',
  'review.overdue',
  'review.reminded',
  'saga.compensated',
  'saga.step_done',
  'saga.step_failed',
  'saga.step_skipped',
  'stage.started',
  'timer.fired',
  'timer.started',
  'work.timed_out',
]);

/** Whether this build knows the event type. */
export function isKnownEvent(type: string): type is EventType {
  return Object.hasOwn(eventAudience, type);
}

/** The effect of an event type; an unknown type may have changed anything. */
export function effectOf(type: string): EventEffect {
  return lineOnly.has(type) ? 'line' : 'lists';
}
