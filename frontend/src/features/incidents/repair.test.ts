import { describe, expect, it, vi } from 'vitest';
import { createActor, type EventObject, fromCallback, fromPromise, waitFor } from 'xstate';
import {
  type Answer,
  type Heard,
  heardOf,
  isPerson,
  type RepairInput,
  repairMachine,
} from './repair';

const incident: RepairInput = {
  caseId: 'case',
  cursor: 'here',
  version: '3',
  node: 'read',
  attempt: 3,
  code: 'EngineFailed',
  message: 'The engine failed.',
};
const refusal = { code: 'StaleVersion', message: 'It was changed meanwhile.' };

function played(
  answer: (input: unknown) => Promise<Answer> = () => Promise.resolve({ kind: 'accepted' }),
) {
  let hear: (heard: Heard) => void = () => undefined;
  const asked = vi.fn(answer);
  const actor = createActor(
    repairMachine.provide({
      actors: {
        follow: fromCallback<EventObject, { caseId: string; cursor: string }>(({ sendBack }) => {
          hear = sendBack;
        }),
        retry: fromPromise<Answer, { caseId: string; version: string | null }>(({ input }) =>
          asked(input),
        ),
        abandon: fromPromise<Answer, { caseId: string; reason: string }>(({ input }) =>
          asked(input),
        ),
      },
    }),
    { input: incident },
  ).start();
  const at = () => actor.getSnapshot().value;
  return { actor, asked, at, hear: (heard: Heard) => hear(heard) };
}

const opened = {
  type: 'opened',
  node: 'read',
  attempt: 6,
  code: 'TimedOut',
  message: 'It took too long.',
} as const;

describe('a retry', () => {
  it('stays asked for until the very step has passed', async () => {
    const { actor, asked, at, hear } = played();
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('asked'));
    expect(asked).toHaveBeenCalledExactlyOnceWith({ caseId: 'case', version: '3' });
    hear({ type: 'retrying', nextAttempt: 5 });
    expect(actor.getSnapshot().context.nextAttempt).toBe(5);
    hear({ type: 'passed', node: 'extract' });
    expect(at()).toBe('asked');
    hear({ type: 'passed', node: 'read' });
    expect(at()).toBe('passed');
  });

  it('stands again with the new cause when the step fails once more', async () => {
    const { actor, at, hear } = played();
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('asked'));
    hear(opened);
    expect(at()).toBe('standing');
    expect(actor.getSnapshot().context).toMatchObject({
      again: true,
      code: 'TimedOut',
      attempt: 6,
      version: null,
    });
    actor.send({ type: 'known', version: '6' });
    expect(actor.getSnapshot().context.version).toBe('6');
    expect(actor.getSnapshot().can({ type: 'retry' })).toBe(true);
  });

  it('believes the log before the answer, which may come later', () => {
    const { actor, at, hear } = played(() => new Promise(() => undefined));
    actor.send({ type: 'retry' });
    expect(at()).toBe('asking');
    hear({ type: 'resolved', way: 'retry', by: null });
    expect(at()).toBe('asked');
    hear({ type: 'passed', node: 'read' });
    expect(at()).toBe('passed');
  });

  it('says why it was refused, and can be asked again', async () => {
    const { actor, at } = played(() => Promise.resolve({ kind: 'refused', refusal }));
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('standing'));
    expect(at()).toBe('standing');
    expect(actor.getSnapshot().context.problem).toEqual({ kind: 'refused', refusal });
    expect(actor.getSnapshot().can({ type: 'retry' })).toBe(true);
  });

  it('stands where it stood when no answer comes', async () => {
    const { actor } = played(() => Promise.reject(new Error('away')));
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('standing'));
    expect(actor.getSnapshot().context.problem).toMatchObject({ kind: 'failed' });
  });
});

describe('what others do', () => {
  it('is amber with their name when a colleague retries first', () => {
    const { actor, at, hear } = played();
    hear({ type: 'resolved', way: 'retry', by: 'Malik' });
    expect(at()).toBe('asked');
    expect(actor.getSnapshot().context.by).toBe('Malik');
    expect(actor.getSnapshot().can({ type: 'retry' })).toBe(false);
  });

  it.each([
    ['enter', 'answered'],
    ['abandon', 'answered'],
    ['replace', 'asked'],
  ] as const)('leads by %s to %s', (way, state) => {
    const { at, hear } = played();
    hear({ type: 'resolved', way, by: 'Malik' });
    expect(at()).toBe(state);
  });

  it('ends when the case does', () => {
    const { actor, at, hear } = played();
    hear({ type: 'abandoned' });
    expect(at()).toBe('answered');
    expect(actor.getSnapshot().context.way).toBe('abandon');
  });
});

describe('giving up', () => {
  it('goes with its reason and ends the repair', async () => {
    const { actor, asked, at } = played();
    actor.send({ type: 'abandon', reason: 'unreadable' });
    await waitFor(actor, (now) => now.status === 'done');
    expect(asked).toHaveBeenCalledExactlyOnceWith({ caseId: 'case', reason: 'unreadable' });
    expect(at()).toBe('answered');
  });
});

describe('forbidden moves', () => {
  const moves = [{ type: 'retry' }, { type: 'abandon', reason: 'r' }] as const;

  it('sends nothing while a command is on its way, or was asked for', async () => {
    const { actor } = played();
    actor.send({ type: 'retry' });
    for (const move of moves) expect(actor.getSnapshot().can(move), move.type).toBe(false);
    await waitFor(actor, (now) => now.matches('asked'));
    for (const move of moves) expect(actor.getSnapshot().can(move), move.type).toBe(false);
    expect(actor.getSnapshot().can({ type: 'passed', node: 'archive' })).toBe(false);
  });

  it('is over when the step has passed', async () => {
    const { actor, hear } = played();
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('asked'));
    hear({ type: 'passed', node: 'read' });
    for (const move of [...moves, opened])
      expect(actor.getSnapshot().can(move), move.type).toBe(false);
  });

  it('does not call a standing incident passed', () => {
    const { actor } = played();
    expect(actor.getSnapshot().can({ type: 'passed', node: 'read' })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'retrying', nextAttempt: 2 })).toBe(false);
  });
});

describe('the log', () => {
  const actor = { id: 'malik', name: 'Malik' };

  it.each([
    [
      { type: 'incident.resolved', body: { how: 'retry' }, actor },
      { type: 'resolved', way: 'retry', by: 'Malik' },
    ],
    [
      { type: 'incident.resolved', body: { how: 'enter' }, actor: { id: 'me', name: 'I' } },
      { type: 'resolved', way: 'enter', by: null },
    ],
    [
      { type: 'stage.completed', body: { node: 'read' } },
      { type: 'passed', node: 'read' },
    ],
    [
      { type: 'stage.retrying', body: { nextAttempt: 2 } },
      { type: 'retrying', nextAttempt: 2 },
    ],
    [{ type: 'case.archived', body: null }, { type: 'ended' }],
    [{ type: 'case.abandoned', body: null }, { type: 'abandoned' }],
    [{ type: 'stage.started', body: { node: 'read' } }, null],
    [{ type: 'something.new', body: 'text' }, null],
  ])('reads %j', (event, heard) => {
    expect(heardOf(event, 'me')).toEqual(heard);
  });

  it('knows the reader by the id of the session, which lacks the kind', () => {
    const own = '01a1fed6-1bd4-7273-aba8-e1cb8ae21ab2';
    expect(isPerson(btoa(`Person:${own}`).replace(/=+$/, ''), own)).toBe(true);
    expect(isPerson(btoa('Person:another'), own)).toBe(false);
    expect(isPerson('no base64!', own)).toBe(false);
    expect(isPerson(btoa('Person:'), '')).toBe(false);
  });
});
