import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { type RecoveryAction, type RepairEvent, repairMachine } from './repair-machine';

const start = (...events: RepairEvent[]) => {
  const actor = createActor(repairMachine, { input: { version: '1' } }).start();
  for (const event of events) actor.send(event);
  return actor;
};
const choose = (action: RecoveryAction): RepairEvent => ({ type: 'choose', action });
const facts = (
  repair: 'open' | 'repairing' | 'over',
  version: string | null = null,
): RepairEvent => ({
  type: 'facts',
  repairState: repair,
  version,
});
const stale: RepairEvent = {
  type: 'refused',
  refusals: [{ code: 'StaleVersion', message: 'changed' }],
};
const invalid: RepairEvent = {
  type: 'refused',
  refusals: [{ code: 'ValidationFailed', message: 'no date', field: 'date' }],
};
const failed: RepairEvent = { type: 'failed', failure: { code: 'Network', message: '' } };

describe('recovery actions', () => {
  it('watches after a retry until the step has completed', () => {
    const actor = start(choose('RETRY'));
    expect(actor.getSnapshot().value).toBe('sending');
    for (const event of [
      { type: 'accepted' },
      facts('open', '1'),
      facts('repairing'),
    ] as RepairEvent[]) {
      actor.send(event);
      expect(actor.getSnapshot().value).toBe('watching');
    }
    actor.send(facts('over'));
    expect(actor.getSnapshot().value).toBe('repaired');
  });

  it('offers the actions again when the retry fails', () => {
    const snapshot = start(
      choose('RETRY'),
      { type: 'accepted' },
      facts('repairing'),
      facts('open', '2'),
    ).getSnapshot();
    expect(snapshot.value).toBe('choosing');
    expect(snapshot.context).toMatchObject({ failedAgain: true, version: '2' });
  });

  it.each<RecoveryAction>(['REPLACE_DOCUMENT', 'ENTER_FIELDS', 'ABANDON'])(
    '%s is filled in, sent and watched',
    (action) => {
      const actor = start(choose(action));
      expect(actor.getSnapshot()).toMatchObject({ value: 'filling', context: { action } });
      for (const event of [
        { type: 'submit' },
        { type: 'accepted' },
        facts('over'),
      ] as RepairEvent[])
        actor.send(event);
      expect(actor.getSnapshot().value).toBe('repaired');
    },
  );

  it('keeps the form when the command is refused or fails', () => {
    for (const event of [invalid, failed]) {
      const snapshot = start(choose('ENTER_FIELDS'), { type: 'submit' }, event).getSnapshot();
      expect(snapshot).toMatchObject({ value: 'filling', context: { action: 'ENTER_FIELDS' } });
    }
  });

  it('clears a refusal on resend', () => {
    const snapshot = start(choose('ENTER_FIELDS'), { type: 'submit' }, invalid, {
      type: 'submit',
    }).getSnapshot();
    expect(snapshot).toMatchObject({ value: 'sending', context: { refusals: [] } });
  });

  it('reports a conflict, then shows the current state', () => {
    const actor = start(choose('ENTER_FIELDS'), { type: 'submit' }, stale);
    expect(actor.getSnapshot()).toMatchObject({
      value: 'conflict',
      context: { refusals: [{ code: 'StaleVersion' }] },
    });
    actor.send({ type: 'showCurrent' });
    expect(actor.getSnapshot()).toMatchObject({
      value: 'choosing',
      context: { action: null, refusals: [] },
    });
  });

  it('follows the action of another user', () => {
    expect(start(facts('repairing')).getSnapshot().value).toBe('watching');
    expect(start(facts('repairing'), facts('over')).getSnapshot().value).toBe('repaired');
    expect(start(choose('ENTER_FIELDS'), facts('over')).getSnapshot().value).toBe('conflict');
  });

  it('starts over with a later incident of the same case', () => {
    const snapshot = start(facts('repairing'), facts('over'), facts('open', '9')).getSnapshot();
    expect(snapshot).toMatchObject({ value: 'choosing', context: { version: '9' } });
  });
});

describe('forbidden events', () => {
  const eventsTo: Record<string, RepairEvent[]> = {
    choosing: [],
    filling: [choose('ABANDON')],
    sending: [choose('RETRY')],
    watching: [choose('RETRY'), { type: 'accepted' }],
    conflict: [choose('RETRY'), stale],
    repaired: [facts('repairing'), facts('over')],
  };
  const allowed: Record<string, RepairEvent['type'][]> = {
    choosing: ['choose'],
    filling: ['submit', 'back'],
    sending: ['accepted', 'refused', 'failed'],
    watching: [],
    conflict: ['showCurrent'],
    repaired: [],
  };
  const all: RepairEvent[] = [
    choose('RETRY'),
    { type: 'back' },
    { type: 'submit' },
    { type: 'accepted' },
    invalid,
    failed,
    { type: 'showCurrent' },
  ];

  it.each(Object.keys(eventsTo))('in %s', (name) => {
    const actor = start(...(eventsTo[name] ?? []));
    expect(actor.getSnapshot().value).toBe(name);
    const can = all.filter((event) => actor.getSnapshot().can(event)).map((event) => event.type);
    expect(can).toEqual(
      allowed[name] === undefined
        ? []
        : all.map((event) => event.type).filter((type) => allowed[name]?.includes(type)),
    );
  });
});
