import { describe, expect, it, vi } from 'vitest';
import { createActor, type EventObject, fromCallback, fromPromise, waitFor } from 'xstate';
import {
  type CaseSignal,
  type CommandResult,
  isPerson,
  type RepairInput,
  repairMachine,
  signalOf,
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

function startRepair(
  answer: (input: unknown) => Promise<CommandResult> = () => Promise.resolve({ kind: 'accepted' }),
) {
  let signal: (received: CaseSignal) => void = () => undefined;
  const sendCommand = vi.fn(answer);
  const actor = createActor(
    repairMachine.provide({
      actors: {
        follow: fromCallback<EventObject, { caseId: string; cursor: string }>(({ sendBack }) => {
          signal = sendBack;
        }),
        retry: fromPromise<CommandResult, { caseId: string; version: string | null }>(({ input }) =>
          sendCommand(input),
        ),
        abandon: fromPromise<CommandResult, { caseId: string; reason: string }>(({ input }) =>
          sendCommand(input),
        ),
      },
    }),
    { input: incident },
  ).start();
  const stateName = () => actor.getSnapshot().value;
  return { actor, sendCommand, stateName, signal: (received: CaseSignal) => signal(received) };
}

const opened = {
  type: 'opened',
  node: 'read',
  attempt: 6,
  code: 'TimedOut',
  message: 'It took too long.',
} as const;

describe('a retry', () => {
  it('stays queued until the failed step has completed', async () => {
    const { actor, sendCommand, stateName, signal } = startRepair();
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('queued'));
    expect(sendCommand).toHaveBeenCalledExactlyOnceWith({ caseId: 'case', version: '3' });
    signal({ type: 'retrying', nextAttempt: 5 });
    expect(actor.getSnapshot().context.nextAttempt).toBe(5);
    signal({ type: 'passed', node: 'extract' });
    expect(stateName()).toBe('queued');
    signal({ type: 'passed', node: 'read' });
    expect(stateName()).toBe('passed');
  });

  it('reopens with the new cause when the step fails again', async () => {
    const { actor, stateName, signal } = startRepair();
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('queued'));
    signal(opened);
    expect(stateName()).toBe('open');
    expect(actor.getSnapshot().context).toMatchObject({
      failedAgain: true,
      code: 'TimedOut',
      attempt: 6,
      version: null,
    });
    actor.send({ type: 'known', version: '6' });
    expect(actor.getSnapshot().context.version).toBe('6');
    expect(actor.getSnapshot().can({ type: 'retry' })).toBe(true);
  });

  it('follows the event log before a late response', () => {
    const { actor, stateName, signal } = startRepair(() => new Promise(() => undefined));
    actor.send({ type: 'retry' });
    expect(stateName()).toBe('sending');
    signal({ type: 'resolved', action: 'retry', by: null });
    expect(stateName()).toBe('queued');
    signal({ type: 'passed', node: 'read' });
    expect(stateName()).toBe('passed');
  });

  it('stores the refusal and can be retried', async () => {
    const { actor, stateName } = startRepair(() => Promise.resolve({ kind: 'refused', refusal }));
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('open'));
    expect(stateName()).toBe('open');
    expect(actor.getSnapshot().context.problem).toEqual({ kind: 'refused', refusal });
    expect(actor.getSnapshot().can({ type: 'retry' })).toBe(true);
  });

  it('stays open when no response arrives', async () => {
    const { actor } = startRepair(() => Promise.reject(new Error('away')));
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('open'));
    expect(actor.getSnapshot().context.problem).toMatchObject({ kind: 'failed' });
  });
});

describe('actions of other users', () => {
  it('is queued with the name of another user who retries first', () => {
    const { actor, stateName, signal } = startRepair();
    signal({ type: 'resolved', action: 'retry', by: 'Malik' });
    expect(stateName()).toBe('queued');
    expect(actor.getSnapshot().context.by).toBe('Malik');
    expect(actor.getSnapshot().can({ type: 'retry' })).toBe(false);
  });

  it.each([
    ['enter', 'closed'],
    ['abandon', 'closed'],
    ['replace', 'queued'],
  ] as const)('%s leads to %s', (action, state) => {
    const { stateName, signal } = startRepair();
    signal({ type: 'resolved', action, by: 'Malik' });
    expect(stateName()).toBe(state);
  });

  it('ends when the case is abandoned', () => {
    const { actor, stateName, signal } = startRepair();
    signal({ type: 'abandoned' });
    expect(stateName()).toBe('closed');
    expect(actor.getSnapshot().context.action).toBe('abandon');
  });
});

describe('abandoning', () => {
  it('sends the reason and ends the repair', async () => {
    const { actor, sendCommand, stateName } = startRepair();
    actor.send({ type: 'abandon', reason: 'unreadable' });
    await waitFor(actor, (now) => now.status === 'done');
    expect(sendCommand).toHaveBeenCalledExactlyOnceWith({ caseId: 'case', reason: 'unreadable' });
    expect(stateName()).toBe('closed');
  });
});

describe('forbidden events', () => {
  const moves = [{ type: 'retry' }, { type: 'abandon', reason: 'r' }] as const;

  it('permits no command while one is being sent or queued', async () => {
    const { actor } = startRepair();
    actor.send({ type: 'retry' });
    for (const move of moves) expect(actor.getSnapshot().can(move), move.type).toBe(false);
    await waitFor(actor, (now) => now.matches('queued'));
    for (const move of moves) expect(actor.getSnapshot().can(move), move.type).toBe(false);
    expect(actor.getSnapshot().can({ type: 'passed', node: 'archive' })).toBe(false);
  });

  it('is final when the step has completed', async () => {
    const { actor, signal } = startRepair();
    actor.send({ type: 'retry' });
    await waitFor(actor, (now) => now.matches('queued'));
    signal({ type: 'passed', node: 'read' });
    for (const move of [...moves, opened])
      expect(actor.getSnapshot().can(move), move.type).toBe(false);
  });

  it('does not complete an open incident', () => {
    const { actor } = startRepair();
    expect(actor.getSnapshot().can({ type: 'passed', node: 'read' })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'retrying', nextAttempt: 2 })).toBe(false);
  });
});

describe('the event log', () => {
  const actor = { id: 'malik', name: 'Malik' };

  it.each([
    [
      { type: 'incident.resolved', body: { how: 'retry' }, actor },
      { type: 'resolved', action: 'retry', by: 'Malik' },
    ],
    [
      { type: 'incident.resolved', body: { how: 'enter' }, actor: { id: 'me', name: 'I' } },
      { type: 'resolved', action: 'enter', by: null },
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
  ])('reads %j', (event, received) => {
    expect(signalOf(event, 'me')).toEqual(received);
  });

  it('matches the session id, which lacks the type prefix', () => {
    const own = '01a1fed6-1bd4-7273-aba8-e1cb8ae21ab2';
    expect(isPerson(btoa(`Person:${own}`).replace(/=+$/, ''), own)).toBe(true);
    expect(isPerson(btoa('Person:another'), own)).toBe(false);
    expect(isPerson('no base64!', own)).toBe(false);
    expect(isPerson(btoa('Person:'), '')).toBe(false);
  });
});
