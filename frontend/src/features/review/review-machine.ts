// The work on one review: read, claim, correct, decide, and what can interrupt it. The machine
// holds only the user's input and the values they have reviewed; each reading of the server arrives
// as SERVER_STATE.
import { assign, type SnapshotFrom, setup } from 'xstate';
import {
  type ReviewContext as Context,
  type ReviewEvent as Event,
  noProblem,
  undecided,
} from './review-context';
import {
  afterTheEnd,
  claimEnds,
  commandAnswers,
  movedDuring,
  movedParts,
  typing,
  unsentOf,
  withReviewed,
} from './review-transitions';
import {
  differences,
  enteredOf,
  isOutdated,
  isUndone,
  rebased,
  type ServerState,
  typedAfter,
  unsavedValues,
  type Verdict,
  without,
} from './review-values';

const needsReason = (verdict: Verdict) => verdict !== 'APPROVE' && verdict !== 'REPAIRED';

const base = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as { serverState: ServerState } },
  guards: {
    mine: ({ context }) => context.serverState.viewerStatus === 'mine',
    decided: ({ context }) => context.serverState.viewerStatus === 'decided',
    cancelled: ({ context }) => context.serverState.viewerStatus === 'cancelled',
    notMine: ({ context }) =>
      context.serverState.viewerStatus === 'open' || context.serverState.viewerStatus === 'others',
    /** Another person has undone what ended the review. */
    undone: ({ context, event }) =>
      event.type === 'SERVER_STATE' &&
      !context.withdrawn &&
      isUndone(context.serverState, event.serverState),
    claimable: ({ context }) => context.serverState.viewerStatus === 'open',
    hasTyped: ({ context }) => Object.keys(context.typed).length > 0,
    noneTyped: ({ context }) => Object.keys(context.typed).length === 0,
    differs: ({ context }) => context.awaiting || differences(context).length > 0,
    agrees: ({ context }) => !context.awaiting && differences(context).length === 0,
    onlyTheirs: ({ context }) =>
      !context.awaiting && differences(context).every((one) => one.mine === null),
    reasonGiven: ({ context, event }) => {
      const verdict = event.type === 'CHOOSE_VERDICT' ? event.verdict : context.verdict;
      return verdict !== null && (!needsReason(verdict) || context.reason.trim() !== '');
    },
    /** The user knows of everything that has changed since the question was asked. */
    seen: ({ context }) => context.moved === null,
    unseen: ({ context }) => context.moved !== null,
    mayDecide: ({ context }) =>
      context.moved === null &&
      context.verdict !== null &&
      (!needsReason(context.verdict) || context.reason.trim() !== ''),
    isDifferent: ({ context, event }) =>
      (event.type === 'KEEP_MINE' || event.type === 'TAKE_THEIRS') &&
      differences(context).some((one) => one.name === event.name && one.mine !== null),
    reassigned: ({ context, event }) =>
      event.type === 'DONE' && context.confirmed && event.serverState.viewerStatus !== 'mine',
  },
  actions: {
    applyServerState: assign(({ context, event }) => {
      if (event.type !== 'SERVER_STATE' && event.type !== 'DONE') return {};
      // The page may still have the review as it was before the command whose result came first.
      if (isOutdated(event.serverState, context.serverState)) return {};
      if (context.awaiting && event.serverState.version === context.refusedVersion) return {};
      const typed = unsavedValues(context.typed, event.serverState.values);
      const after = {
        serverState: event.serverState,
        reviewedValues: context.reviewedValues,
        typed,
      };
      const moved = context.awaiting && differences(after).length === 0;
      return {
        serverState: event.serverState,
        typed,
        awaiting: false,
        moved: moved ? movedParts(context, event.serverState) : context.moved,
      };
    }),
    /** What changes while a decision is being confirmed, so that the decision is not about something unseen. */
    rememberMoved: assign(({ context, event }) =>
      event.type === 'SERVER_STATE' ? movedDuring(context, event.serverState) : {},
    ),
    acknowledgeMoved: assign({ moved: null }),
    /** What was typed and cannot be sent any more is shown until the user leaves. */
    keepUnsent: assign(({ context }) => unsentOf(context)),
    markWithdrawn: assign(({ context }) => ({
      withdrawn: true,
      serverState: { ...context.serverState, viewerStatus: 'cancelled' as const, holder: null },
    })),
    /**
     * The saved values count as reviewed, also those that the server writes in another way; later
     * input stays unsaved.
     */
    recordSaved: assign(({ context, event }) =>
      event.type === 'DONE'
        ? {
            reviewedValues: event.serverState.values,
            typed: rebased(typedAfter(context.typed, context.sent), event.serverState.values),
            moved: null,
          }
        : {},
    ),
    rememberReviewed: assign(({ context }) => ({
      reviewedValues: context.reviewedValues ?? context.serverState.values,
    })),
    forgetReviewed: assign({ reviewedValues: null }),
    typeValue: assign(({ context, event }) => {
      if (event.type !== 'TYPE') return {};
      const before =
        context.typed[event.name]?.base ?? context.serverState.values[event.name] ?? '';
      const typed = { ...context.typed, [event.name]: { value: event.value, base: before } };
      return {
        typed: event.value === before ? without(context.typed, event.name) : typed,
        ...noProblem,
        moved: null,
      };
    }),
    undoValue: assign(({ context, event }) =>
      event.type === 'UNDO' ? { typed: without(context.typed, event.name), ...noProblem } : {},
    ),
    writeReason: assign(({ event }) =>
      event.type === 'WRITE_REASON' ? { reason: event.text } : {},
    ),
    writeLines: assign(({ event }) => (event.type === 'WRITE_LINES' ? { lines: event.text } : {})),
    restoreDraft: assign(({ context, event }) =>
      event.type === 'RESTORE'
        ? {
            typed: unsavedValues({ ...event.typed, ...context.typed }, context.serverState.values),
            reason: context.reason || event.reason,
            lines: context.lines || event.lines,
          }
        : {},
    ),
    clear: assign({ ...noProblem, moved: null }),
    forgetTyped: assign({ typed: {} }),
    forgetFailure: assign({ failure: null }),
    confirm: assign({ confirmed: true }),
    rememberSent: assign(({ context, event }) => ({
      confirming: event.type === 'CONFIRM_VALUES' ? event.names : null,
      sent: event.type === 'SAVE' ? context.typed : {},
    })),
    resetConfirmed: assign({ confirmed: false }),
    chooseVerdict: assign(({ event }) =>
      event.type === 'CHOOSE_VERDICT' ? { verdict: event.verdict } : {},
    ),
    rememberEntered: assign(({ context, event }) =>
      event.type === 'CONFIRMATION_NEEDED'
        ? { entered: enteredOf(event.refusals, context.sent) }
        : {},
    ),
    showProblem: assign(({ event }) => {
      if (event.type === 'REFUSED' || event.type === 'CONFIRMATION_NEEDED')
        return { refusals: event.refusals, failure: null };
      return event.type === 'FAILED' ? { failure: event.failure, refusals: [] } : {};
    }),
    awaitServerState: assign(({ event }) => ({
      awaiting: true,
      refusedVersion: event.type === 'STALE' ? (event.version ?? null) : null,
      ...noProblem,
    })),
    loseClaim: assign(({ context, event }) =>
      event.type === 'LOST' || event.type === 'GONE'
        ? {
            serverState: {
              ...context.serverState,
              viewerStatus: event.holder ? ('others' as const) : ('open' as const),
              holder: event.holder,
            },
          }
        : {},
    ),
    keepMine: assign(({ context, event }) => {
      const mine = event.type === 'KEEP_MINE' ? context.typed[event.name] : undefined;
      if (event.type !== 'KEEP_MINE' || !mine) return {};
      const theirs = context.serverState.values[event.name] ?? '';
      return {
        typed: { ...context.typed, [event.name]: { value: mine.value, base: theirs } },
        reviewedValues: withReviewed(context, event.name),
      };
    }),
    takeTheirs: assign(({ context, event }) =>
      event.type === 'TAKE_THEIRS'
        ? {
            typed: without(context.typed, event.name),
            reviewedValues: withReviewed(context, event.name),
          }
        : {},
    ),
    acknowledge: assign(({ context }) => ({ reviewedValues: context.serverState.values })),
    markReassigned: assign({ outcome: 'reassigned' }),
    markPassedOn: assign({ outcome: 'passedOn', typed: {} }),
    markDecided: assign({ outcome: 'decided', typed: {} }),
    startAgain: assign(undecided),
  },
});

export const reviewMachine = base.createMachine({
  id: 'review',
  initial: 'viewing',
  context: ({ input }) => ({
    serverState: input.serverState,
    reviewedValues: null,
    typed: {},
    lines: '',
    confirming: null,
    sent: {},
    awaiting: false,
    refusedVersion: null,
    entered: [],
    ...undecided,
  }),
  // A failure that the connection caused ends with it, in whatever state the work is.
  on: {
    CONNECTED: { actions: 'forgetFailure' },
    WITHDRAWN: { target: '.closed', actions: 'markWithdrawn' },
    // The form of line items stays open in every state.
    WRITE_LINES: { actions: 'writeLines' },
  },
  states: {
    /** The review is unclaimed or held by another user; it can be read. */
    viewing: {
      always: [
        { guard: 'decided', target: 'done' },
        { guard: 'cancelled', target: 'closed' },
        { guard: 'mine', target: 'mine' },
      ],
      entry: 'forgetReviewed',
      on: {
        SERVER_STATE: { actions: 'applyServerState' },
        CLAIM: { guard: 'claimable', target: 'claiming', actions: 'clear' },
      },
    },
    claiming: {
      on: {
        SERVER_STATE: { actions: 'applyServerState' },
        DONE: { target: 'mine', actions: 'applyServerState' },
        REFUSED: { target: 'claimFailed', actions: 'showProblem' },
        FAILED: { target: 'claimFailed', actions: 'showProblem' },
        STALE: 'claimFailed',
        LOST: 'claimFailed',
      },
    },
    /** The next state after a refused claim. */
    claimFailed: { always: [{ guard: 'noneTyped', target: 'viewing' }, { target: 'lost' }] },
    mine: {
      initial: 'idle',
      entry: ['rememberReviewed', 'resetConfirmed'],
      // A heartbeat can report at any time that the claim is lost. While a command is being sent,
      // that very command may have ended it, and its response says so.
      on: { GONE: { target: 'lost', actions: 'loseClaim' } },
      states: {
        idle: {
          always: [
            ...claimEnds,
            { guard: 'differs', target: 'conflict' },
            { guard: 'hasTyped', target: 'editing' },
          ],
          on: {
            ...typing,
            SERVER_STATE: { actions: 'applyServerState' },
            CHOOSE_VERDICT: {
              guard: 'reasonGiven',
              target: 'confirmingDecision',
              actions: ['clear', 'chooseVerdict'],
            },
            CONFIRM_VALUES: { target: '#review.saving', actions: ['clear', 'rememberSent'] },
            STATE: { target: '#review.saving', actions: ['clear', 'rememberSent'] },
            RELEASE: { target: '#review.releasing', actions: 'clear' },
          },
        },
        editing: {
          always: [
            ...claimEnds,
            { guard: 'differs', target: 'conflict' },
            { guard: 'noneTyped', target: 'idle' },
          ],
          on: {
            ...typing,
            SERVER_STATE: { actions: 'applyServerState' },
            SAVE: { target: '#review.saving', actions: ['clear', 'rememberSent'] },
            RELEASE: { target: '#review.releasing', actions: 'clear' },
          },
        },
        /** The save has a consequence that the user has to confirm. */
        confirmingSave: {
          always: [...claimEnds, { guard: 'differs', target: 'conflict' }],
          on: {
            SERVER_STATE: { actions: 'applyServerState' },
            CONFIRM: { target: '#review.saving', actions: ['clear', 'confirm'] },
            CANCEL: { target: 'editing', actions: 'clear' },
          },
        },
        /** A verdict was chosen; the user has to confirm it. */
        confirmingDecision: {
          always: [...claimEnds, { guard: 'differs', target: 'conflict' }],
          on: {
            WRITE_REASON: { actions: 'writeReason' },
            SERVER_STATE: { actions: ['rememberMoved', 'applyServerState'] },
            ACKNOWLEDGE: { guard: 'unseen', actions: 'acknowledgeMoved' },
            DECIDE: { guard: 'mayDecide', target: '#review.deciding', actions: 'clear' },
            PASS_ON: { guard: 'seen', target: '#review.passingOn', actions: 'clear' },
            CANCEL: { target: 'idle' },
          },
        },
        /**
         * The user's and the server's values differ: no command is sent until the user has seen
         * both.
         */
        conflict: {
          always: [...claimEnds, { guard: 'agrees', target: 'idle' }],
          on: {
            WRITE_REASON: { actions: 'writeReason' },
            SERVER_STATE: { actions: 'applyServerState' },
            KEEP_MINE: { guard: 'isDifferent', actions: 'keepMine' },
            TAKE_THEIRS: { guard: 'isDifferent', actions: 'takeTheirs' },
            ACKNOWLEDGE: { guard: 'onlyTheirs', actions: 'acknowledge' },
            RELEASE: { target: '#review.releasing', actions: 'clear' },
          },
        },
      },
    },
    saving: {
      on: {
        ...commandAnswers,
        ...typing,
        DONE: [
          {
            guard: 'reassigned',
            target: 'done',
            actions: ['applyServerState', 'recordSaved', 'markReassigned'],
          },
          { target: 'mine', actions: ['applyServerState', 'recordSaved'] },
        ],
        CONFIRMATION_NEEDED: {
          target: '#review.mine.confirmingSave',
          actions: ['showProblem', 'rememberEntered'],
        },
      },
    },
    deciding: {
      on: {
        ...commandAnswers,
        DONE: { target: 'done', actions: ['applyServerState', 'markDecided'] },
      },
    },
    passingOn: {
      on: {
        ...commandAnswers,
        DONE: { target: 'done', actions: ['applyServerState', 'markPassedOn'] },
      },
    },
    releasing: {
      on: { ...commandAnswers, DONE: { target: 'viewing', actions: 'applyServerState' } },
    },
    /** The claim has expired or was revoked; the user's input is kept. */
    lost: {
      always: [
        { guard: 'decided', target: 'done' },
        { guard: 'cancelled', target: 'closed' },
        { guard: 'mine', target: 'mine' },
      ],
      on: {
        SERVER_STATE: { actions: 'applyServerState' },
        CLAIM: { guard: 'claimable', target: 'claiming', actions: 'clear' },
      },
    },
    /** Decided, here or elsewhere, or handed on: only the stored values count. */
    done: { entry: ['keepUnsent', 'forgetTyped'], on: afterTheEnd },
    /** The case no longer needs this review. */
    closed: {
      entry: ['keepUnsent', 'forgetTyped'],
      on: { ...afterTheEnd, WITHDRAWN: { actions: 'markWithdrawn' } },
    },
  },
});

export type ReviewSnapshot = SnapshotFrom<typeof reviewMachine>;
export type { ReviewEvent } from './review-context';
export type { ReviewState } from './review-transitions';
