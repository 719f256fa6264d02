// Saves the draft on the server while the user holds the review: shortly after the last key, and
// immediately when the page is left.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { requestOptions } from '../../graphql/client';
import { reconnectListeners } from '../../graphql/connection';
import { useSignedIn } from '../../lib/session';
import { type Draft, draftOf, emptyDraft, isEmptyDraft, sameDraft, unsentDrafts } from './draft';
import { SaveDraft } from './review.graphql';
import type { ReviewEvent, ReviewSnapshot } from './review-machine';

const saveDelay = 700;

/** empty: no input. kept: saved. pending: not saved yet. failed: the last attempt failed. */
export type DraftState = 'empty' | 'kept' | 'pending' | 'failed';

interface DraftInput {
  reviewId: string;
  snapshot: ReviewSnapshot;
  stored: unknown;
  send: (event: ReviewEvent) => void;
  onClaimLost: () => void;
}

/** Whether the user holds the review, including while a command is being sent. */
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
  const { typed, reason, lines } = snapshot.context;
  const draft = useRef<Draft>(emptyDraft);
  draft.current = { typed, reason, lines };
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
        ? { fetchOptions: () => ({ ...requestOptions(), keepalive: true }) }
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

  // Save shortly after the last key, and again when the session or the connection is back.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each input restarts the delay
  useEffect(() => {
    if (!holding || !signedIn) return;
    const timer = setTimeout(() => void save(false), saveDelay);
    return () => clearTimeout(timer);
  }, [typed, reason, lines, holding, signedIn, save]);
  useSaveOnLeave(holding, save);
  useForgetDecided(reviewId, snapshot);

  if (snapshot.matches('done') || snapshot.matches('closed')) return 'empty';
  if (!isEmptyDraft(draft.current) || !isEmptyDraft(lastSaved)) {
    if (sameDraft(draft.current, lastSaved)) return isEmptyDraft(lastSaved) ? 'empty' : 'kept';
    return failed ? 'failed' : 'pending';
  }
  return 'empty';
}

/** Saves the draft when the page is left, hidden or closed, and after a reconnect. */
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

/** Forgets the unsent draft of a finished review. */
function useForgetDecided(reviewId: string, snapshot: ReviewSnapshot): void {
  const ended = snapshot.matches('done') || snapshot.matches('closed');
  useEffect(() => {
    if (ended) unsentDrafts.delete(reviewId);
  }, [ended, reviewId]);
}
