// Connects the review machine to the server: its state as events, and the commands that it permits.
import { useMachine } from '@xstate/react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { onConnected, whenConnected } from '../../graphql/connection';
import type {
  ClaimNextReviewInput,
  ClearDuplicateInput,
  DecideReviewInput,
  LineItemInput,
  PasskeyAssertionInput,
} from '../../graphql/generated/graphql';
import type { CaseEventLine } from '../../graphql/live';
import { newKey } from '../../lib/keys';
import { failureOf, type Refusal } from '../../lib/refusals';
import { CorrectLineItems } from './lines.graphql';
import { DecideAndClaimNext } from './next.graphql';
import { offerUndoOf } from './offer-undo';
import { type OrderCommand, sendOrderCommand } from './order-commands';
import { canBeUndone } from './quick-approval';
import {
  ClaimReview,
  ClearDuplicate,
  ConfirmFields,
  CorrectFields,
  DecideReview,
  OverrideFindings,
  ReleaseReview,
  ReviewPageData,
} from './review.graphql';
import { type Review, serverStateOf } from './review-facts';
import { type ReviewEvent, reviewMachine } from './review-machine';
import type { ServerState, Verdict } from './review-values';
import { signApproval } from './sign-approval';
import type { NextReviewState } from './use-next-review';

export interface Payload {
  review: Review | null;
  userErrors: readonly (Refusal & { values: readonly { name: string; value: string }[] })[];
}

/** Why a finding does not stop an approval. */
interface FindingOverride {
  rule: string;
  reason: string;
}

type StatedDuplicate = Pick<ClearDuplicateInput, 'reference' | 'reason' | 'otherVersion'>;

/** Who last corrected values. */
export interface Corrector {
  name: string;
  self: boolean;
}

/**
 * Who last corrected values, by the events received since the page was opened. It is no part of the server's
 * state, because an event can arrive before or after the answer with the values.
 */
function correctorOf(events: readonly CaseEventLine[], me: string | null): Corrector | null {
  const last = events.findLast(({ type }) => /^(fields|line_items)\.corrected$/.test(type));
  return last?.actor ? { name: last.actor.name, self: last.actor.id === me } : null;
}

/** What other people changed for a decision: values, line items, the order, explanations of findings. */
const changesFacts = /^(fields|line_items|order|finding|duplicate|document)\./;

/** Who changed something of the case, by the events. */
function changersOf(events: readonly CaseEventLine[], me: string | null): string[] {
  const names = events.flatMap(({ type, actor }) =>
    changesFacts.test(type) && actor && actor.id !== me ? [actor.name] : [],
  );
  return [...new Set(names)];
}

/** Converts a command's result into an event of the machine. */
export function eventFromResult(
  payload: Payload | undefined,
  error: CombinedError | undefined,
  serverState: (review: Review) => ServerState,
): ReviewEvent {
  if (error) return { type: 'FAILED', failure: failureOf(error) };
  const refusals = payload?.userErrors ?? [];
  const first = refusals[0];
  if (!first) {
    if (payload?.review) return { type: 'DONE', serverState: serverState(payload.review) };
    return { type: 'FAILED', failure: { code: 'Internal', message: '' } };
  }
  switch (first.code) {
    case 'StaleVersion':
      return { type: 'STALE' };
    case 'NotClaimedByYou':
      return {
        type: 'LOST',
        holder: first.values.find(({ name }) => name === 'holder')?.value ?? null,
      };
    case 'ConfirmationNeeded':
      return { type: 'CONFIRMATION_NEEDED', refusals };
    default:
      return { type: 'REFUSED', refusals };
  }
}

type Command = () => Promise<{
  payload?: Payload | undefined;
  error?: CombinedError | undefined;
  /** The next review opens, so this page shows nothing of the result. */
  leaves?: boolean;
}>;

/** The events that lead to the command again after it has failed. */
function eventsAgain(event: ReviewEvent, verdict: Verdict | null): ReviewEvent[] {
  switch (event.type) {
    case 'DECIDE':
    case 'PASS_ON':
      return [{ type: 'CHOOSE_VERDICT', verdict: verdict ?? 'APPROVE' }, event];
    case 'CONFIRM': // the consequence is confirmed again
      return [{ type: 'SAVE' }];
    default:
      return [event];
  }
}

/** One idempotency key per command: a resend of the same request keeps it. */
function useIdempotencyKey() {
  const last = useRef<{ request: string; key: string } | null>(null);
  return useCallback((request: unknown): string => {
    const text = JSON.stringify(request);
    if (last.current?.request !== text) last.current = { request: text, key: newKey() };
    return last.current.key;
  }, []);
}

interface ReviewInput {
  review: Review;
  me: string | null;
  events: readonly CaseEventLine[];
  reread: () => void;
  /** The delegator of the commands; null is the user. */
  onBehalfOf: string | null;
  next: NextReviewState;
  /** The server no longer shows the review to the user; `review` is its last state. */
  withdrawn: boolean;
}

export function useReview(input: ReviewInput) {
  const { review, me, events, reread, onBehalfOf, next, withdrawn } = input;
  const client = useClient();
  const corrector = useMemo(() => correctorOf(events, me), [events, me]);
  const serverState = useMemo(() => serverStateOf(review, me), [review, me]);
  const [snapshot, send, actor] = useMachine(reviewMachine, { input: { serverState } });
  const keyFor = useIdempotencyKey();
  const currentContext = () => actor.getSnapshot().context;
  useEffect(() => {
    if (withdrawn) send({ type: 'WITHDRAWN' });
    else send({ type: 'SERVER_STATE', serverState });
  }, [serverState, withdrawn, send]);
  /** How many events were known when the last question was asked or its changes were acknowledged. */
  const known = useRef(events.length);
  const { moved } = snapshot.context;
  // A review that has ended no longer names its committee.
  const inCommittee = useRef(false);
  if (review.committee) inCommittee.current = true;
  const changers = moved ? changersOf(events.slice(known.current), me) : [];

  /** Reads the review and sends its state to the machine, even if the cache has it already. */
  const readServerState = async () => {
    const request = client.query(
      ReviewPageData,
      { id: review.id },
      { requestPolicy: 'network-only' },
    );
    const { data, error } = await request.toPromise();
    if (data?.review) send({ type: 'SERVER_STATE', serverState: serverStateOf(data.review, me) });
    else if (data?.viewer && data.review === null) send({ type: 'WITHDRAWN' });
    else if (error) setTimeout(() => void readServerState(), 2_000);
  };

  const basis = () => {
    const { typed, reason, serverState } = currentContext();
    return JSON.stringify([typed, reason, serverState.version]);
  };
  const currentBasis = useRef(basis);
  currentBasis.current = basis;
  /** Stops the wait for the connection, after which the command that it prevented is sent once more. */
  const stopWaiting = useRef<() => void>(() => {});
  useEffect(() => {
    const stop = onConnected(() => send({ type: 'CONNECTED' }));
    return () => {
      stop();
      stopWaiting.current();
    };
  }, [send]);

  /**
   * Sends the event if it is permitted now, runs its command, and sends the result to the machine.
   */
  const run = async (event: ReviewEvent, command: Command, again = false) => {
    if (!actor.getSnapshot().can(event)) return false;
    stopWaiting.current();
    const { version } = currentContext().serverState;
    send(event);
    const { payload, error, leaves } = await command();
    if (leaves) return true;
    if (error?.networkError && !again) {
      const before = eventsAgain(event, currentContext().verdict);
      const then = basis();
      stopWaiting.current = whenConnected(() => {
        send({ type: 'CONNECTED' });
        // What was changed meanwhile, here or by others, is not sent without the user.
        if (then !== currentBasis.current()) return;
        for (const step of before.slice(0, -1)) send(step);
        void run(before.at(-1) ?? event, command, true);
      });
    }
    const outcome = eventFromResult(payload, error, (after) => serverStateOf(after, me));
    const done = outcome.type === 'DONE';
    if (done && payload?.review) offerUndoOf(payload.review, me);
    // The next review opens before this page shows the decision.
    const opens = event.type === 'DECIDE' && done && next.onDecided(null);
    if (event.type === 'DECIDE' && !done) next.onNotDecided();
    send(outcome.type === 'STALE' ? { ...outcome, version } : outcome);
    if (outcome.type === 'STALE') await readServerState();
    else if (!opens) reread();
    return done;
  };
  const commandInput = <What extends object>(extra: What) => {
    const request = {
      reviewId: review.id,
      expectedVersion: currentContext().serverState.version,
      onBehalfOf,
      ...extra,
    };
    return { ...request, idempotencyKey: keyFor(request) };
  };
  /** Decides and claims the next review by one request; the decided one is read if no other opens. */
  const decideAndClaim = async (
    input: DecideReviewInput,
    claim: ClaimNextReviewInput,
  ): ReturnType<Command> => {
    const { data, error } = await client
      .mutation(DecideAndClaimNext, { input, next: claim })
      .toPromise();
    if (!data || error) return { error };
    const { review, userErrors } = data.decideReview;
    if (!review) return { payload: { review: null, userErrors } };
    offerUndoOf(review, me);
    if (next.onDecided(data.claimNextReview)) return { leaves: true };
    const read = await client
      .query(ReviewPageData, { id: input.reviewId }, { requestPolicy: 'network-only' })
      .toPromise();
    return {
      payload: { review: read.data?.review ?? null, userErrors },
      error: read.error,
    };
  };
  const release = () =>
    run({ type: 'RELEASE' }, async () => {
      const { data, error } = await client
        .mutation(ReleaseReview, { input: commandInput({}) })
        .toPromise();
      return { payload: data?.releaseReview, error };
    });
  /** How many corrections were saved, for screen readers. */
  const [saves, setSaves] = useState(0);
  const save = async (event: ReviewEvent) => {
    const saved = await run(event, async () => {
      const { typed, confirmed, confirming } = currentContext();
      if (confirming) {
        const input = commandInput({ names: [...confirming], confirm: confirmed });
        const { data, error } = await client.mutation(ConfirmFields, { input }).toPromise();
        return { payload: data?.confirmFields, error };
      }
      const fields = Object.entries(typed).map(([name, { value }]) => ({ name, value }));
      const { data, error } = await client
        .mutation(CorrectFields, { input: commandInput({ fields, confirm: confirmed }) })
        .toPromise();
      return { payload: data?.correctFields, error };
    });
    if (saved) setSaves((now) => now + 1);
  };
  return {
    snapshot,
    corrector,
    saves,
    send,
    actor,
    claim: () =>
      void run({ type: 'CLAIM' }, async () => {
        const { data, error } = await client
          .mutation(ClaimReview, { input: { ...commandInput({}), expectedVersion: null } })
          .toPromise();
        return { payload: data?.claimReview, error };
      }),
    release: () => void release(),
    /** Releases the review and claims another one. */
    skip: async () => {
      if (await release()) next.skip();
    },
    save: () => void save({ type: 'SAVE' }),
    confirm: () => void save({ type: 'CONFIRM' }),
    /** Confirms the current values of the fields as they are. */
    confirmValues: (names: readonly string[]) => void save({ type: 'CONFIRM_VALUES', names }),
    changeOrder: (command: OrderCommand) =>
      void run({ type: 'STATE' }, () => sendOrderCommand(client, command, commandInput)),
    /** Replaces the line items; true if the server stored them. */
    correctLineItems: (items: readonly LineItemInput[]) =>
      run({ type: 'STATE' }, async () => {
        const input = commandInput({ items: [...items] });
        const { data, error } = await client.mutation(CorrectLineItems, { input }).toPromise();
        return { payload: data?.correctLineItems, error };
      }),
    /** States why a missing value cannot be determined; `onDone` runs when the server has stored it. */
    markUndetermined: (name: string, reason: string, onDone: () => void) =>
      void run({ type: 'STATE' }, async () => {
        const fields = [{ name, value: '', undetermined: reason }];
        const { data, error } = await client
          .mutation(CorrectFields, { input: commandInput({ fields, confirm: false }) })
          .toPromise();
        if (data?.correctFields.review) onDone();
        return { payload: data?.correctFields, error };
      }),
    /** States why the document is no duplicate of that of another case, whose values have the version. */
    clearDuplicate: (duplicate: StatedDuplicate, onDone: () => void) =>
      void run({ type: 'STATE' }, async () => {
        const { data, error } = await client
          .mutation(ClearDuplicate, { input: commandInput(duplicate) })
          .toPromise();
        if (data?.clearDuplicate.review) onDone();
        return { payload: data?.clearDuplicate, error };
      }),
    /** A command that waits for the connection is not sent again. */
    cancelResend: () => stopWaiting.current(),
    ask: (verdict: Verdict) => {
      known.current = events.length;
      send({ type: 'CHOOSE_VERDICT', verdict });
    },
    /** Who changed what the machine reports as changed, as far as their events arrived. */
    changers,
    /** Whether the review was a seat of a committee when the page was opened. */
    inCommittee: inCommittee.current,
    /** Who returned the case while the page was open. */
    returnedBy: events.findLast(({ type }) => type === 'case.returned')?.actor?.name ?? null,
    /**
     * Decides; `overrides` are why findings do not stop an approval, `unchecked` the fields that it approves
     * without a check.
     */
    decide: (overrides: readonly FindingOverride[] = [], unchecked: readonly string[] = []) =>
      void run({ type: 'DECIDE' }, async () => {
        const { verdict, reason, serverState } = currentContext();
        const said = {
          reason: reason.trim() || null,
          overrides: overrides.length > 0 ? [...overrides] : null,
        };
        const decision = verdict ?? ('APPROVE' as const);
        const stated = decision === 'APPROVE' && unchecked.length > 0 ? [...unchecked] : null;
        let signature: PasskeyAssertionInput | null = null;
        if (decision === 'APPROVE' && review.signatureRequired) {
          const signed = await signApproval(client, {
            reviewId: review.id,
            expectedVersion: serverState.version,
            onBehalfOf,
            unchecked: stated,
            ...said,
          });
          if ('error' in signed) return { error: signed.error };
          if ('refusals' in signed)
            return { payload: { review: null, userErrors: signed.refusals } };
          ({ signature } = signed);
        }
        const undoable = canBeUndone(review, decision, onBehalfOf);
        const input = commandInput({
          decision,
          ...said,
          unchecked: stated,
          signature,
          undoable,
        });
        const claim = next.claimWithDecision();
        if (claim) return decideAndClaim(input, claim);
        const { data, error } = await client.mutation(DecideReview, { input }).toPromise();
        return { payload: data?.decideReview, error };
      }),
    /** States the first of two reasons and releases the review to another reviewer. */
    passOn: (overrides: readonly FindingOverride[]) =>
      void run({ type: 'PASS_ON' }, async () => {
        const { data, error } = await client
          .mutation(OverrideFindings, { input: commandInput({ overrides: [...overrides] }) })
          .toPromise();
        return { payload: data?.overrideFindings, error };
      }),
  };
}

export type ReviewWorkspaceState = ReturnType<typeof useReview>;
