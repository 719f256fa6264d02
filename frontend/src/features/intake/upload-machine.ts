// The upload of one file. The transport is provided from outside; a transient failure is retried
// automatically with the same idempotency key, so that no document is submitted twice.
import { assign, fromCallback, setup } from 'xstate';
import { type Refusal, signedOutCodes, transientCodes } from '../../lib/refusals';

/** The input of the transport, which reports its progress by the events below. */
export interface Sending {
  file: File;
  /** One idempotency key for all attempts. */
  key: string;
  /** The address of the resumable upload that an earlier attempt started. */
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
  /** Refusals found before sending; such a file is never sent. */
  refusals: Refusal[];
}

const maxAttempts = 6;

export const uploadMachine = setup({
  types: { context: {} as UploadContext, events: {} as UploadEvent, input: {} as UploadInput },
  actors: {
    send: fromCallback<UploadEvent, Sending>(() => undefined),
  },
  delays: {
    /** Exponential backoff, at most 30 seconds. */
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
    /** Deletes the partial upload on the server. */
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
    /** Waiting, because the number of concurrent uploads is limited. */
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
    /** Retried after a delay, or immediately when the network is back. */
    pausing: {
      after: { retryDelay: 'sending' },
      on: { reconnected: 'sending', retry: 'sending', cancel: 'cancelled' },
    },
    /** The session has ended; the upload continues after the next sign-in. */
    signedOut: { on: { reconnected: 'sending', cancel: 'cancelled' } },
    failed: {
      on: { retry: { target: 'waiting', actions: assign({ attempts: 0 }) }, cancel: 'cancelled' },
    },
    refused: { type: 'final' },
    cancelled: { type: 'final', entry: 'discardUpload' },
    received: { type: 'final' },
  },
});
