// Keeps what is typed with the server while the person holds the review, a moment after the last key, and at once when
// the page is left.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { reconnectListeners } from '../../graphql/connection';
import { useSignedIn } from '../../lib/session';
import { type Draft, draftOf, emptyDraft, isEmptyDraft, sameDraft, unsentDrafts } from './draft';
import { SaveDraft } from './review.graphql';
import type { ReviewEvent, ReviewSnapshot } from './review-machine';

const saveDelay = 700;

/** empty: nothing is typed. kept: the server has it. pending: it is about to. failed: it could not be reached. */
export type DraftState = 'empty' | 'kept' | 'pending' | 'failed';

interface DraftInput {
  reviewId: string;
  snapshot: ReviewSnapshot;
  stored: unknown;
  send: (event: ReviewEvent) => void;
  onClaimLost: () => void;
}

/** The review is the person's: the server takes drafts, or is just answering a command. */
const holdsClaim = (now: ReviewSnapshot) =>
  acceptsDrafts(now) || now.matches('deciding') || now.matches('releasing');
const acceptsDrafts = (now: ReviewSnapshot) => now.matches('mine') || now.matches('saving');

export function useDraft({
  reviewId,
  snapshot,
  stored,
  send,
  onClaimLost,
}: DraftInput): DraftState {
  const client = useClient();
  const signedIn = useSignedIn();
  const savedDraft = useRef<Draft>(emptyDraft);
  const restored = useRef(false);
  const [failed, setFailed] = useState(false);
  const [lastSaved, setLastSaved] = useState<Draft>(emptyDraft);
  const holding = holdsClaim(snapshot);
  const { typed, reason } = snapshot.context;
  const draft = useRef<Draft>(emptyDraft);
  draft.current = { typed, reason };
  const accepting = useRef(false);
  accepting.current = acceptsDrafts(snapshot);

  useEffect(() => {
    if (!holding || restored.current) return;
    restored.current = true;
    savedDraft.current = draftOf(stored);
    setLastSaved(savedDraft.current);
    const initial = unsentDrafts.get(reviewId) ?? savedDraft.current;
    if (!isEmptyDraft(initial)) send({ type: 'RESTORE', ...initial });
  }, [holding, reviewId, stored, send]);

  const save = useCallback(
    async (leaving: boolean) => {
      const now = draft.current;
      if (!restored.current || sameDraft(now, savedDraft.current)) return;
      unsentDrafts.set(reviewId, now);
      if (!accepting.current) return;
      const options = leaving
        ? { fetchOptions: { credentials: 'same-origin' as const, keepalive: true } }
        : {};
      const { data } = await client
        .mutation(SaveDraft, { input: { reviewId, draft: now } }, options)
        .toPromise();
      if (data && data.saveDraft.userErrors.length === 0) {
        savedDraft.current = now;
        setLastSaved(now);
        setFailed(false);
        if (unsentDrafts.get(reviewId) === now) unsentDrafts.delete(reviewId);
        return;
      }
      setFailed(true);
      if (data?.saveDraft.userErrors.some(({ code }) => code === 'NotClaimedByYou')) onClaimLost();
    },
    [client, reviewId, onClaimLost],
  );

  // A moment after the last key; again at once when the session or the line is back.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed starts the wait anew
  useEffect(() => {
    if (!holding || !signedIn) return;
    const timer = setTimeout(() => void save(false), saveDelay);
    return () => clearTimeout(timer);
  }, [typed, reason, holding, signedIn, save]);
  useSaveOnLeave(holding, save);
  useForgetDecided(reviewId, snapshot);

  if (snapshot.matches('done') || snapshot.matches('closed')) return 'empty';
  if (!isEmptyDraft({ typed, reason }) || !isEmptyDraft(lastSaved)) {
    if (sameDraft({ typed, reason }, lastSaved)) return isEmptyDraft(lastSaved) ? 'empty' : 'kept';
    return failed ? 'failed' : 'pending';
  }
  return 'empty';
}

/** Sends what is typed when the page is left, hidden or closed, and when the line stands again. */
function useSaveOnLeave(holding: boolean, save: (leaving: boolean) => Promise<void>): void {
  useEffect(() => {
    if (!holding) return;
    const saveNow = () => void save(true);
    const saveIfHidden = () => document.visibilityState === 'hidden' && saveNow();
    const saveAgain = () => void save(false);
    window.addEventListener('pagehide', saveNow);
    document.addEventListener('visibilitychange', saveIfHidden);
    reconnectListeners.add(saveAgain);
    return () => {
      window.removeEventListener('pagehide', saveNow);
      document.removeEventListener('visibilitychange', saveIfHidden);
      reconnectListeners.delete(saveAgain);
      saveNow();
    };
  }, [holding, save]);
}

/** What is decided needs no draft any more. */
function useForgetDecided(reviewId: string, snapshot: ReviewSnapshot): void {
  const ended = snapshot.matches('done') || snapshot.matches('closed');
  useEffect(() => {
    if (ended) unsentDrafts.delete(reviewId);
  }, [ended, reviewId]);
}
