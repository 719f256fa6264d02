import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { eventAudience } from '../graphql/generated/events';
import schema from '../graphql/generated/schema.json';
import { type EventType, effectOf, isKnownEvent } from './case-events';
import {
  type DocumentState,
  documentStateOf,
  documentStates,
  finalStates,
} from './document-states';
import {
  allowedTransitions,
  applyEvent,
  documentStatusOf,
  type StatusEvent,
  statesAfterEvent,
  statusMachine,
} from './document-status';

const at = (state: DocumentState) => {
  const actor = createActor(statusMachine(state));
  actor.start();
  return actor;
};
const live = documentStates.filter((state) => !finalStates.includes(state));
const types = Object.keys(eventAudience) as EventType[];

describe('the status machine', () => {
  it('has the case statuses as its states', () => {
    const names = Object.keys(statusMachine('received').states).sort();
    expect(names).toEqual([...documentStates].sort());
    expect(documentStates.map((state) => documentStateOf(state.toUpperCase()))).toEqual([
      ...documentStates,
    ]);
  });

  it('has a handler for every event type of the contracts, in every state that is not final', () => {
    expect(types).toEqual(expect.arrayContaining(Object.keys(statesAfterEvent)));
    expect(types.filter((type) => !isKnownEvent(type))).toEqual([]);
    const machine = statusMachine('received');
    for (const state of live)
      expect(Object.keys(machine.states[state]?.on ?? {}).sort(), state).toEqual([...types].sort());
  });

  it('takes incident.opened in every state that is not final', () => {
    for (const state of live) {
      const actor = at(state);
      expect(applyEvent(actor, { type: 'incident.opened', status: 'incident' }), state).toBe(true);
      expect(actor.getSnapshot().value).toBe('incident');
    }
  });

  it('permits exactly the transitions of the table', () => {
    for (const from of live) {
      for (const to of documentStates) {
        const can = at(from).getSnapshot().can({ type: 'case.status_changed', status: to });
        expect(can, `${from} -> ${to}`).toBe(from === to || allowedTransitions[from].includes(to));
      }
    }
  });

  it('permits no transition from a final state', () => {
    for (const state of finalStates) {
      for (const to of documentStates) {
        expect(at(state).getSnapshot().can({ type: 'case.status_changed', status: to })).toBe(
          false,
        );
        expect(applyEvent(at(state), { type: 'case.status_changed', status: to })).toBe(
          to === state,
        );
      }
    }
  });

  it.each<[DocumentState, StatusEvent]>([
    ['in_review', { type: 'case.returned', status: 'approved' }],
    ['processing', { type: 'incident.opened', status: 'processing' }],
    ['returned', { type: 'case.archived', status: 'archived' }],
    ['processing', { type: 'case.submitted', status: 'in_review' }],
  ])('in %s refuses a contradictory event: %o', (state, event) => {
    expect(at(state).getSnapshot().can(event)).toBe(false);
  });
});

it('reloads the lists after every event except those that change only their line', () => {
  expect(types.filter((type) => effectOf(type) === 'line').sort()).toEqual([
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
  expect(effectOf('case.teleported')).toBe('lists');
});

describe('a complete run', () => {
  const walk = (first: DocumentState, events: StatusEvent[]) => {
    const actor = at(first);
    for (const event of events) expect(applyEvent(actor, event), JSON.stringify(event)).toBe(true);
    return actor.getSnapshot();
  };

  it('leads from the upload to the archive', () => {
    const end = walk('received', [
      { type: 'stage.started', status: 'processing', stage: 'read' },
      { type: 'stage.completed', status: 'processing' },
      { type: 'review.opened', status: 'in_review' },
      { type: 'review.decided', status: 'in_review' },
      { type: 'case.approved', status: 'approved' },
      { type: 'stage.started', status: 'approved', stage: 'archive' },
      { type: 'case.archived', status: 'archived' },
    ]);
    expect(end.value).toBe('archived');
    expect(end.status).toBe('done');
  });

  it('is repairing until the step has completed', () => {
    const actor = at('incident');
    applyEvent(actor, { type: 'incident.resolved', status: 'processing' });
    applyEvent(actor, { type: 'stage.started', status: 'processing', stage: 'read' });
    expect(actor.getSnapshot().context).toMatchObject({ repairing: true, stage: 'read' });
    applyEvent(actor, { type: 'stage.completed', status: 'processing' });
    expect(actor.getSnapshot().context.repairing).toBe(false);
  });

  it('returns to the incident when the repair fails', () => {
    const actor = at('incident');
    applyEvent(actor, { type: 'incident.resolved', status: 'processing' });
    applyEvent(actor, { type: 'stage.retrying', status: 'processing' });
    expect(actor.getSnapshot().context).toMatchObject({ repairing: true, retrying: true });
    applyEvent(actor, { type: 'incident.opened', status: 'incident' });
    expect(actor.getSnapshot()).toMatchObject({
      value: 'incident',
      context: { repairing: false, retrying: false },
    });
  });

  it('continues after the submitter’s answer', () => {
    const end = walk('in_review', [
      { type: 'case.returned', status: 'returned' },
      { type: 'document.replaced', status: 'returned' },
      { type: 'case.resubmitted', status: 'processing' },
    ]);
    expect(end.value).toBe('processing');
  });
});

it('the cache schema has the types that the pages distinguish', () => {
  const names = schema.__schema.types.map((type) => type.name);
  expect(names).toEqual(expect.arrayContaining(['Case', 'Review', 'UserError', 'Refusal']));
});

describe('the status derived from events', () => {
  const event = (type: string, status: string | null, behaviour?: string) => ({
    type,
    status,
    body: behaviour ? { behaviour } : {},
  });

  it('has the completed and the running stages', () => {
    const status = documentStatusOf(
      [
        event('case.submitted', 'PROCESSING'),
        event('stage.started', 'PROCESSING', 'read'),
        event('stage.completed', 'PROCESSING', 'read'),
        event('stage.started', 'PROCESSING', 'extract'),
      ],
      'PROCESSING',
    );
    expect(status).toMatchObject({ state: 'processing', stage: 'extract', done: ['read'] });
  });

  it('skips unknown events and ends at the server’s status', () => {
    const status = documentStatusOf(
      [
        event('case.submitted', 'PROCESSING'),
        event('case.teleported', 'APPROVED'),
        event('stage.started', 'APPROVED', 'archive'),
      ],
      'ARCHIVED',
    );
    expect(status.state).toBe('archived');
  });

  it('restarts the stages with another file', () => {
    const status = documentStatusOf(
      [
        event('case.submitted', 'PROCESSING'),
        event('stage.completed', 'PROCESSING', 'read'),
        event('document.replaced', 'PROCESSING'),
      ],
      'PROCESSING',
    );
    expect(status.done).toEqual([]);
  });
});
