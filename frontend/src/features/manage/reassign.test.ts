import { describe, expect, it } from 'vitest';
import { createActor, type EventObject, fromCallback } from 'xstate';
import { between, type GiveInput, type Outcome, reassignMachine, type Told } from './reassign';

const row = (id: string) => ({ id, version: '1.0' });
type Move = Parameters<ReturnType<typeof played>['actor']['send']>[0];

const rows = ['a', 'b', 'c', 'd'].map(row);
const refusal = { code: 'NotEligible', message: 'This person is not eligible for this review.' };

/** The machine with an effect that is played by the test. */
function played() {
  let tell: (told: Told) => void = () => undefined;
  const sent: GiveInput[] = [];
  const actor = createActor(
    reassignMachine.provide({
      actors: {
        give: fromCallback<EventObject, GiveInput>(({ sendBack, input }) => {
          sent.push(input);
          tell = sendBack;
        }),
      },
    }),
  ).start();
  const chosen = () => [...actor.getSnapshot().context.chosen.keys()];
  return { actor, sent, chosen, tell: (told: Told) => tell(told) };
}

describe('choosing', () => {
  it('toggles one row and extends from it, in both directions', () => {
    const { actor, chosen } = played();
    actor.send({ type: 'toggle', row: row('c') });
    actor.send({ type: 'extend', id: 'a', rows });
    expect(chosen().sort()).toEqual(['a', 'b', 'c']);
    actor.send({ type: 'extend', id: 'd', rows });
    expect(chosen().sort()).toEqual(['a', 'b', 'c', 'd']);
    actor.send({ type: 'toggle', row: row('b') });
    expect(chosen().sort()).toEqual(['a', 'c', 'd']);
  });

  it('takes only the row itself when the range begins at one that has gone', () => {
    expect(between(rows, 'gone', 'b')).toEqual([row('b')]);
    expect(between(rows, null, 'b')).toEqual([row('b')]);
    expect(between(rows, 'a', 'gone')).toEqual([]);
  });

  it('keeps the version that was on the screen when a row was chosen', () => {
    const { actor } = played();
    actor.send({ type: 'choose', rows });
    expect(actor.getSnapshot().context.chosen.get('c')).toBe('1.0');
  });

  it('lets go of what left the list, also while it is asked to whom', () => {
    const { actor, chosen } = played();
    actor.send({ type: 'choose', rows });
    actor.send({ type: 'left', ids: ['a'] });
    actor.send({ type: 'ask' });
    actor.send({ type: 'left', ids: ['b', 'c', 'd'] });
    expect(chosen()).toEqual([]);
    expect(actor.getSnapshot().can({ type: 'send', gift: { to: null, reason: 'x' } })).toBe(false);
  });
});

describe('forbidden moves', () => {
  it('asks nobody about nothing', () => {
    const { actor } = played();
    expect(actor.getSnapshot().can({ type: 'ask' })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'clear' })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'send', gift: { to: null, reason: '' } })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'cancel' })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'answered', outcomes: [] })).toBe(false);
  });

  it('changes no choice while it is asked or sent, and sends nothing twice', () => {
    const { actor } = played();
    actor.send({ type: 'choose', rows });
    actor.send({ type: 'ask' });
    for (const event of [
      { type: 'toggle', row: row('a') },
      { type: 'choose', rows },
      { type: 'clear' },
      { type: 'ask' },
    ] satisfies Move[]) {
      expect(actor.getSnapshot().can(event), event.type).toBe(false);
    }
    actor.send({ type: 'send', gift: { to: 'p', reason: 'r' } });
    expect(actor.getSnapshot().value).toBe('sending');
    for (const event of [
      { type: 'toggle', row: row('a') },
      { type: 'clear' },
      { type: 'ask' },
      { type: 'cancel' },
      { type: 'left', ids: ['a'] },
      { type: 'send', gift: { to: 'p', reason: 'r' } },
    ] satisfies Move[]) {
      expect(actor.getSnapshot().can(event), event.type).toBe(false);
    }
  });
});

describe('sending', () => {
  it('goes to the person for the reason, and only what failed stays chosen', () => {
    const { actor, sent, chosen, tell } = played();
    actor.send({ type: 'choose', rows });
    actor.send({ type: 'ask' });
    actor.send({ type: 'send', gift: { to: 'p', reason: 'on leave' } });
    expect(sent).toEqual([{ ids: ['a', 'b', 'c', 'd'], to: 'p', reason: 'on leave' }]);
    const outcomes: [string, Outcome][] = [
      ['a', { kind: 'given', to: 'P' }],
      ['b', { kind: 'refused', refusal }],
    ];
    tell({ type: 'answered', outcomes });
    expect(actor.getSnapshot().context).toMatchObject({ sent: 4, answered: 2 });
    tell({
      type: 'answered',
      outcomes: [
        ['c', { kind: 'given', to: 'P' }],
        ['d', { kind: 'unknown', failure: { code: 'Network', message: '' } }],
      ],
    });
    tell({ type: 'finished' });
    expect(actor.getSnapshot().value).toBe('choosing');
    expect(chosen()).toEqual(['b', 'd']);
    expect(actor.getSnapshot().context.outcomes.get('b')).toEqual({ kind: 'refused', refusal });
  });

  it('forgets what became of the last ones when it is sent again', () => {
    const { actor, tell } = played();
    actor.send({ type: 'choose', rows });
    for (const kind of ['refused', 'given'] as const) {
      actor.send({ type: 'ask' });
      actor.send({ type: 'send', gift: { to: null, reason: 'r' } });
      const outcome: Outcome = kind === 'given' ? { kind, to: 'P' } : { kind, refusal };
      tell({ type: 'answered', outcomes: [...actor.getSnapshot().context.chosen.keys()].map((id) => [id, outcome]) });
      tell({ type: 'finished' });
    }
    const { context } = actor.getSnapshot();
    expect(context.chosen.size).toBe(0);
    expect([...context.outcomes.values()].every((one) => one.kind === 'given')).toBe(true);
  });
});
