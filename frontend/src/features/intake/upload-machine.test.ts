import { describe, expect, it } from 'vitest';
import { createActor, fromCallback, SimulatedClock } from 'xstate';
import { type UploadEvent, uploadMachine } from './upload-machine';

const file = new File(['x'], 'a.pdf', { type: 'application/pdf' });

function start(refusals: { code: string; message: string }[] = []) {
  const clock = new SimulatedClock();
  let sendCount = 0;
  let stopped = 0;
  const machine = uploadMachine.provide({
    actors: {
      send: fromCallback(() => {
        sendCount++;
        return () => {
          stopped++;
        };
      }),
    },
  });
  const actor = createActor(machine, { input: { file, key: 'k', refusals }, clock }).start();
  return {
    actor,
    clock,
    state: () => actor.getSnapshot().value,
    sendCount: () => sendCount,
    stopped: () => stopped,
  };
}

const network: UploadEvent = { type: 'failed', code: 'Network', message: '' };
const received: UploadEvent = { type: 'received', caseId: 'c', reference: 'CS-1', duplicates: [] };

describe('an upload', () => {
  it('waits, is sent, is received', () => {
    const { actor, state } = start();
    expect(state()).toBe('waiting');
    actor.send({ type: 'begin' });
    actor.send({ type: 'progress', progress: 0.4 });
    expect(actor.getSnapshot().context.progress).toBe(0.4);
    actor.send({ type: 'sent' });
    actor.send(received);
    expect(state()).toBe('received');
    expect(actor.getSnapshot().context).toMatchObject({ caseId: 'c', progress: 1 });
  });

  it('is never sent after a refusal in the browser', () => {
    const { state, sendCount } = start([{ code: 'EmptyFile', message: '' }]);
    expect([state(), sendCount()]).toEqual(['refused', 0]);
  });

  it('retries after a transient failure and resumes', () => {
    const { actor, clock, state, sendCount } = start();
    actor.send({ type: 'begin' });
    actor.send({ type: 'address', url: '/uploads/7' });
    actor.send(network);
    expect(state()).toBe('pausing');
    clock.increment(1_000);
    expect([state(), sendCount(), actor.getSnapshot().context.resumeAt]).toEqual([
      'sending',
      2,
      '/uploads/7',
    ]);
  });

  it('resumes immediately when the network is back', () => {
    const { actor, state } = start();
    actor.send({ type: 'begin' });
    actor.send(network);
    actor.send({ type: 'reconnected' });
    expect(state()).toBe('sending');
  });

  it('fails after several attempts, and restarts on request', () => {
    const { actor, clock, state } = start();
    actor.send({ type: 'begin' });
    for (let i = 0; i < 6; i++) {
      actor.send(network);
      clock.increment(30_000);
    }
    expect(state()).toBe('failed');
    actor.send({ type: 'retry' });
    expect(state()).toBe('waiting');
  });

  it('does not retry a permanent failure', () => {
    const { actor, state } = start();
    actor.send({ type: 'begin' });
    actor.send({ type: 'failed', code: 'NotPermitted', message: '' });
    expect(state()).toBe('failed');
  });

  it('waits for sign-in when the session has ended', () => {
    const { actor, clock, state } = start();
    actor.send({ type: 'begin' });
    actor.send({ type: 'failed', code: 'SessionExpired', message: '' });
    clock.increment(600_000);
    expect(state()).toBe('signedOut');
    actor.send({ type: 'reconnected' });
    expect(state()).toBe('sending');
  });

  it('stops sending when cancelled', () => {
    const { actor, state, stopped } = start();
    actor.send({ type: 'begin' });
    actor.send({ type: 'cancel' });
    expect([state(), stopped()]).toEqual(['cancelled', 1]);
  });
});

describe('forbidden events', () => {
  const eventsTo = {
    waiting: [],
    sending: [{ type: 'begin' }],
    pausing: [{ type: 'begin' }, network],
    signedOut: [{ type: 'begin' }, { type: 'failed', code: 'SessionExpired', message: '' }],
    failed: [{ type: 'begin' }, { type: 'failed', code: 'NotPermitted', message: '' }],
    refused: [{ type: 'begin' }, { type: 'refused', refusals: [] }],
    cancelled: [{ type: 'cancel' }],
    received: [{ type: 'begin' }, received],
  } satisfies Record<string, UploadEvent[]>;
  const allowed: Record<keyof typeof eventsTo, UploadEvent['type'][]> = {
    waiting: ['begin', 'cancel'],
    sending: ['progress', 'address', 'sent', 'received', 'refused', 'failed', 'cancel'],
    pausing: ['reconnected', 'retry', 'cancel'],
    signedOut: ['reconnected', 'cancel'],
    failed: ['retry', 'cancel'],
    refused: [],
    cancelled: [],
    received: [],
  };
  const all: UploadEvent[] = [
    { type: 'begin' },
    { type: 'progress', progress: 0 },
    { type: 'address', url: '' },
    { type: 'sent' },
    received,
    { type: 'refused', refusals: [] },
    network,
    { type: 'cancel' },
    { type: 'retry' },
    { type: 'reconnected' },
  ];

  it.each(Object.keys(eventsTo) as (keyof typeof eventsTo)[])('in %s', (name) => {
    const { actor, state } = start();
    for (const event of eventsTo[name] as UploadEvent[]) actor.send(event);
    expect(state()).toBe(name);
    const can = all.filter((event) => actor.getSnapshot().can(event)).map((event) => event.type);
    expect(can.sort()).toEqual([...allowed[name]].sort());
  });
});
