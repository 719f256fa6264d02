// One file on its way in: what the person sees of it and what can be done with it. How the bytes travel is given from
// outside; a failure that passes is tried again by itself, with the same key, so that nothing comes in twice.
import { assign, fromCallback, setup } from 'xstate';
import { type Refusal, transientCodes } from '../../lib/refusals';

/** How far a file has come; the outcome is told by one of the events below. */
export interface Sending {
  file: File;
  /** One key for all attempts. */
  key: string;
  /** Where a resumable upload goes on, from the attempt before. */
  resumeAt: string | null;
}

export type UploadEvent =
  | { type: 'begin' }
  | { type: 'progress'; progress: number }
  | { type: 'address'; url: string }
  | { type: 'sent' }
  | { type: 'received'; caseId: string; reference: string; duplicates: string[] }
  | { type: 'refused'; refusals: Refusal[] }
  | { type: 'failed'; code: string; message: string; requestId?: string | undefined }
  | { type: 'cancel' }
  | { type: 'retry' }
  | { type: 'reconnected' };

interface UploadContext {
  file: File;
  key: string;
  progress: number;
  resumeAt: string | null;
  attempts: number;
  caseId: string | null;
  reference: string;
  duplicates: string[];
  refusals: Refusal[];
  failure: { code: string; message: string; requestId?: string | undefined } | null;
}

export interface UploadInput {
  file: File;
  key: string;
  /** Refusals known before the first byte; the file is then never sent. */
  refusals: Refusal[];
}

const maxAttempts = 6;
const signedOutCodes = new Set(['Unauthenticated', 'SessionExpired']);

export const uploadMachine = setup({
  types: { context: {} as UploadContext, events: {} as UploadEvent, input: {} as UploadInput },
  actors: {
    send: fromCallback<UploadEvent, Sending>(() => undefined),
  },
  delays: {
    /** Longer after each attempt, half a minute at most. */
    retryDelay: ({ context }) => Math.min(30_000, 500 * 2 ** context.attempts),
  },
  guards: {
    isRefused: ({ context }) => context.refusals.length > 0,
    isTransient: ({ context, event }) =>
      event.type === 'failed' && transientCodes.has(event.code) && context.attempts < maxAttempts,
    isSessionEnded: ({ event }) => event.type === 'failed' && signedOutCodes.has(event.code),
  },
  actions: {
    recordFailure: assign(({ event }) => (event.type === 'failed' ? { failure: event } : {})),
    /** Throws away on the server what was sent in pieces. */
    discardUpload: () => undefined,
    startAttempt: assign(({ context }) => ({
      attempts: context.attempts + 1,
      refusals: [],
      failure: null,
    })),
  },
}).createMachine({
  id: 'upload',
  initial: 'judging',
  context: ({ input }) => ({
    file: input.file,
    key: input.key,
    progress: 0,
    resumeAt: null,
    attempts: 0,
    caseId: null,
    reference: '',
    duplicates: [],
    refusals: input.refusals,
    failure: null,
  }),
  states: {
    judging: { always: [{ guard: 'isRefused', target: 'refused' }, { target: 'waiting' }] },
    /** In line: only some files are sent at a time. */
    waiting: { on: { begin: 'sending', cancel: 'cancelled' } },
    sending: {
      entry: 'startAttempt',
      invoke: {
        src: 'send',
        input: ({ context }) => ({
          file: context.file,
          key: context.key,
          resumeAt: context.resumeAt,
        }),
      },
      on: {
        progress: { actions: assign(({ event }) => ({ progress: event.progress })) },
        address: { actions: assign(({ event }) => ({ resumeAt: event.url })) },
        sent: { actions: assign({ progress: 1 }) },
        received: {
          target: 'received',
          actions: assign(({ event }) => ({
            caseId: event.caseId,
            reference: event.reference,
            duplicates: event.duplicates,
            progress: 1,
          })),
        },
        refused: {
          target: 'refused',
          actions: assign(({ event }) => ({ refusals: event.refusals })),
        },
        failed: [
          { guard: 'isSessionEnded', target: 'signedOut', actions: 'recordFailure' },
          { guard: 'isTransient', target: 'pausing', actions: 'recordFailure' },
          { target: 'failed', actions: 'recordFailure' },
        ],
        cancel: 'cancelled',
      },
    },
    /** Tried again by itself in a moment, at once when the network is back. */
    pausing: {
      after: { retryDelay: 'sending' },
      on: { reconnected: 'sending', retry: 'sending', cancel: 'cancelled' },
    },
    /** The session ended; goes on when the person has signed in again. */
    signedOut: { on: { reconnected: 'sending', cancel: 'cancelled' } },
    failed: {
      on: { retry: { target: 'waiting', actions: assign({ attempts: 0 }) }, cancel: 'cancelled' },
    },
    refused: { type: 'final' },
    cancelled: { type: 'final', entry: 'discardUpload' },
    received: { type: 'final' },
  },
});
