// Keeps what is typed with the server while the person holds the review, a moment after the last key, and at once when
// the page is left.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { reconnectListeners } from '../../graphql/connection';
import { useSignedIn } from '../../lib/session';
import { type Draft, draftOf, emptyDraft, isEmptyDraft, sameDraft, unsent } from './draft';
import { SaveDraft } from './review.graphql';
import type { ReviewEvent, ReviewSnapshot } from './review-machine';

const pause = 700;

/** empty: nothing is typed. kept: the server has it. pending: it is about to. failed: it could not be reached. */
export type DraftState = 'empty' | 'kept' | 'pending' | 'failed';

interface Keeping {
  reviewId: string;
  snapshot: ReviewSnapshot;
  stored: unknown;
  send: (event: ReviewEvent) => void;
  onLost: () => void;
}

/** The review is the person's: the server takes drafts, or is just answering a command. */
const holds = (now: ReviewSnapshot) =>
  takes(now) || now.matches('deciding') || now.matches('releasing');
const takes = (now: ReviewSnapshot) => now.matches('mine') || now.matches('saving');

export function useDraft({ reviewId, snapshot, stored, send, onLost }: Keeping): DraftState {
  const client = useClient();
  const signedIn = useSignedIn();
  const kept = useRef<Draft>(emptyDraft);
  const restored = useRef(false);
  const [failed, setFailed] = useState(false);
  const [keptNow, setKeptNow] = useState<Draft>(emptyDraft);
  const held = holds(snapshot);
  const { typed, reason } = snapshot.context;
  const draft = useRef<Draft>(emptyDraft);
  draft.current = { typed, reason };
  const taken = useRef(false);
  taken.current = takes(snapshot);

  useEffect(() => {
    if (!held || restored.current) return;
    restored.current = true;
    kept.current = draftOf(stored);
    setKeptNow(kept.current);
    const begun = unsent.get(reviewId) ?? kept.current;
    if (!isEmptyDraft(begun)) send({ type: 'RESTORE', ...begun });
  }, [held, reviewId, stored, send]);

  const keep = useCallback(
    async (leaving: boolean) => {
      const now = draft.current;
      if (!restored.current || sameDraft(now, kept.current)) return;
      unsent.set(reviewId, now);
      if (!taken.current) return;
      const options = leaving
        ? { fetchOptions: { credentials: 'same-origin' as const, keepalive: true } }
        : {};
      const { data } = await client
        .mutation(SaveDraft, { input: { reviewId, draft: now } }, options)
        .toPromise();
      if (data && data.saveDraft.userErrors.length === 0) {
        kept.current = now;
        setKeptNow(now);
        setFailed(false);
        if (unsent.get(reviewId) === now) unsent.delete(reviewId);
        return;
      }
      setFailed(true);
      if (data?.saveDraft.userErrors.some(({ code }) => code === 'NotClaimedByYou')) onLost();
    },
    [client, reviewId, onLost],
  );

  // A moment after the last key; again at once when the session or the line is back.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed starts the wait anew
  useEffect(() => {
    if (!held || !signedIn) return;
    const timer = setTimeout(() => void keep(false), pause);
    return () => clearTimeout(timer);
  }, [typed, reason, held, signedIn, keep]);
  useLeaving(held, keep);
  useEnd(reviewId, snapshot);

  if (snapshot.matches('done') || snapshot.matches('closed')) return 'empty';
  if (!isEmptyDraft({ typed, reason }) || !isEmptyDraft(keptNow)) {
    if (sameDraft({ typed, reason }, keptNow)) return isEmptyDraft(keptNow) ? 'empty' : 'kept';
    return failed ? 'failed' : 'pending';
  }
  return 'empty';
}

/** Sends what is typed when the page is left, hidden or closed, and when the line stands again. */
function useLeaving(held: boolean, keep: (leaving: boolean) => Promise<void>): void {
  useEffect(() => {
    if (!held) return;
    const leave = () => void keep(true);
    const hide = () => document.visibilityState === 'hidden' && leave();
    const back = () => void keep(false);
    window.addEventListener('pagehide', leave);
    document.addEventListener('visibilitychange', hide);
    reconnectListeners.add(back);
    return () => {
      window.removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', hide);
      reconnectListeners.delete(back);
      leave();
    };
  }, [held, keep]);
}

/** What is decided needs no draft any more. */
function useEnd(reviewId: string, snapshot: ReviewSnapshot): void {
  const ended = snapshot.matches('done') || snapshot.matches('closed');
  useEffect(() => {
    if (ended) unsent.delete(reviewId);
  }, [ended, reviewId]);
}
