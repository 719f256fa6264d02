import { describe, expect, it } from 'vitest';
import { createActor, type EventObject, fromCallback } from 'xstate';
import { between } from '../../lib/selection';
import { type Outcome, type ProgressEvent, type ReassignInput, reassignMachine } from './reassign';

const row = (id: string) => ({ id, version: '1.0' });
type MachineEvent = Parameters<ReturnType<typeof startMachine>['actor']['send']>[0];

const rows = ['a', 'b', 'c', 'd'].map(row);
const refusal = { code: 'NotEligible', message: 'This person is not eligible for this review.' };

/** Starts the machine with an effect that the test controls. */
function startMachine() {
  let report: (progress: ProgressEvent) => void = () => undefined;
  const sent: ReassignInput[] = [];
  const actor = createActor(
    reassignMachine.provide({
      actors: {
        reassign: fromCallback<EventObject, ReassignInput>(({ sendBack, input }) => {
          sent.push(input);
          report = sendBack;
        }),
      },
    }),
  ).start();
  const chosen = () => [...actor.getSnapshot().context.chosen.keys()];
  return { actor, sent, chosen, report: (progress: ProgressEvent) => report(progress) };
}

describe('selecting', () => {
  it('toggles one row and extends from it, in both directions', () => {
    const { actor, chosen } = startMachine();
    actor.send({ type: 'toggle', row: row('c') });
    actor.send({ type: 'extend', id: 'a', rows });
    expect(chosen().sort()).toEqual(['a', 'b', 'c']);
    actor.send({ type: 'extend', id: 'd', rows });
    expect(chosen().sort()).toEqual(['a', 'b', 'c', 'd']);
    actor.send({ type: 'toggle', row: row('b') });
    expect(chosen().sort()).toEqual(['a', 'c', 'd']);
  });

  it('selects only the row itself if the range starts at a removed row', () => {
    expect(between(rows, 'gone', 'b')).toEqual([row('b')]);
    expect(between(rows, null, 'b')).toEqual([row('b')]);
    expect(between(rows, 'a', 'gone')).toEqual([]);
  });

  it('stores the version of the row when it was selected', () => {
    const { actor } = startMachine();
    actor.send({ type: 'choose', rows });
    expect(actor.getSnapshot().context.chosen.get('c')).toBe('1.0');
  });

  it('sends the present version of a changed row that is reassigned too', () => {
    const { actor, sent } = startMachine();
    actor.send({ type: 'choose', rows: [row('a'), row('b')] });
    actor.send({ type: 'openDialog' });
    const changed = [{ id: 'b', version: '2.0' }];
    actor.send({ type: 'send', request: { to: null, reason: 'r' }, changed });
    expect(sent[0]?.chosen).toEqual([
      ['a', '1.0'],
      ['b', '2.0'],
    ]);
  });

  it('deselects removed rows, also while the dialog is open', () => {
    const { actor, chosen } = startMachine();
    actor.send({ type: 'choose', rows });
    actor.send({ type: 'left', ids: ['a'] });
    actor.send({ type: 'openDialog' });
    actor.send({ type: 'left', ids: ['b', 'c', 'd'] });
    expect(chosen()).toEqual([]);
    expect(
      actor.getSnapshot().can({ type: 'send', request: { to: null, reason: 'x' }, changed: [] }),
    ).toBe(false);
  });
});

describe('forbidden events', () => {
  it('permits nothing without a selection', () => {
    const { actor } = startMachine();
    expect(actor.getSnapshot().can({ type: 'openDialog' })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'clear' })).toBe(false);
    expect(
      actor.getSnapshot().can({ type: 'send', request: { to: null, reason: '' }, changed: [] }),
    ).toBe(false);
    expect(actor.getSnapshot().can({ type: 'cancel' })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'answered', outcomes: [] })).toBe(false);
  });

  it('freezes the selection in the dialog and while sending', () => {
    const { actor } = startMachine();
    actor.send({ type: 'choose', rows });
    actor.send({ type: 'openDialog' });
    for (const event of [
      { type: 'toggle', row: row('a') },
      { type: 'choose', rows },
      { type: 'clear' },
      { type: 'openDialog' },
    ] satisfies MachineEvent[]) {
      expect(actor.getSnapshot().can(event), event.type).toBe(false);
    }
    actor.send({ type: 'send', request: { to: 'p', reason: 'r' }, changed: [] });
    expect(actor.getSnapshot().value).toBe('sending');
    for (const event of [
      { type: 'toggle', row: row('a') },
      { type: 'clear' },
      { type: 'openDialog' },
      { type: 'cancel' },
      { type: 'left', ids: ['a'] },
      { type: 'send', request: { to: 'p', reason: 'r' }, changed: [] },
    ] satisfies MachineEvent[]) {
      expect(actor.getSnapshot().can(event), event.type).toBe(false);
    }
  });
});

describe('sending', () => {
  it('sends person and reason, and keeps only failed rows selected', () => {
    const { actor, sent, chosen, report } = startMachine();
    actor.send({ type: 'choose', rows });
    actor.send({ type: 'openDialog' });
    actor.send({ type: 'send', request: { to: 'p', reason: 'on leave' }, changed: [] });
    const reviews = ['a', 'b', 'c', 'd'].map((id) => [id, '1.0']);
    expect(sent).toEqual([{ chosen: reviews, to: 'p', reason: 'on leave' }]);
    const outcomes: [string, Outcome][] = [
      ['a', { kind: 'reassigned', to: 'P' }],
      ['b', { kind: 'refused', refusal }],
    ];
    report({ type: 'answered', outcomes });
    expect(actor.getSnapshot().context).toMatchObject({ sent: 4, answered: 2 });
    report({
      type: 'answered',
      outcomes: [
        ['c', { kind: 'reassigned', to: 'P' }],
        ['d', { kind: 'unknown', failure: { code: 'Network', message: '' } }],
      ],
    });
    report({ type: 'finished' });
    expect(actor.getSnapshot().value).toBe('choosing');
    expect(chosen()).toEqual(['b', 'd']);
    expect(actor.getSnapshot().context.outcomes.get('b')).toEqual({ kind: 'refused', refusal });
  });

  it('clears the previous outcomes on the next send', () => {
    const { actor, report } = startMachine();
    actor.send({ type: 'choose', rows });
    for (const kind of ['refused', 'reassigned'] as const) {
      actor.send({ type: 'openDialog' });
      actor.send({ type: 'send', request: { to: null, reason: 'r' }, changed: [] });
      const outcome: Outcome = kind === 'reassigned' ? { kind, to: 'P' } : { kind, refusal };
      report({
        type: 'answered',
        outcomes: [...actor.getSnapshot().context.chosen.keys()].map((id) => [id, outcome]),
      });
      report({ type: 'finished' });
    }
    const { context } = actor.getSnapshot();
    expect(context.chosen.size).toBe(0);
    expect([...context.outcomes.values()].every((one) => one.kind === 'reassigned')).toBe(true);
  });
});
