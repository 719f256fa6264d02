// The live events of a case after a cursor, each once and in order, across reconnects.
import { useEffect, useRef, useState } from 'react';
import { type Client, useClient } from 'urql';
import { effectOf, isKnownEvent } from '../lib/case-events';
import { useSignedIn } from '../lib/session';
import type { CaseEventLineFragment } from './generated/graphql';
import { CaseEvents, CaseState } from './live.graphql';
import { resubscribeDelay } from './use-resubscribe';

/** One event of a case as the pages show it. */
export type CaseEventLine = CaseEventLineFragment;

/** Appends an event unless it is already in the list. */
export function appended(events: CaseEventLine[], event: CaseEventLine): CaseEventLine[] {
  const last = events.at(-1);
  return last && BigInt(event.seq) <= BigInt(last.seq) ? events : [...events, event];
}

const rereadDelay = 60;

interface CaseListener {
  /** Called for each new event, in order. */
  onEvent: (event: CaseEventLine) => void;
  /** Called once per burst of events when the lists have to be reloaded, and when the case may not be followed any more. */
  onReread: () => void;
}

/** Follows a case until the returned function is called. For use outside of components. */
export function followCase(
  client: Client,
  caseId: string,
  after: string | null,
  listener: CaseListener,
): () => void {
  let stopped = false;
  let cursor = after;
  let last = -1n;
  let failures = 0;
  let rereadTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let end: () => void = () => undefined;

  const handleEvent = (event: CaseEventLine) => {
    failures = 0;
    const seq = BigInt(event.seq);
    if (seq <= last) return;
    last = seq;
    cursor = event.cursor;
    listener.onEvent(event);
    if (!isKnownEvent(event.type))
      void client.query(CaseState, { id: caseId }, { requestPolicy: 'network-only' }).toPromise();
    if (effectOf(event.type) === 'lists') {
      clearTimeout(rereadTimer);
      rereadTimer = setTimeout(listener.onReread, rereadDelay);
    }
  };
  const connect = () => {
    if (stopped) return;
    const subscription = client
      .subscription(CaseEvents, { caseId, after: cursor })
      .subscribe((result) => {
        if (result.data) handleEvent(result.data.caseEvents);
        if (result.error) {
          // The server ended the subscription. The cursor is kept, so no event is missed.
          subscription.unsubscribe();
          const delay = resubscribeDelay(result.error, failures++);
          // The user may have lost access: what the page shows has to be read again, or it stays forever.
          if (delay === null) listener.onReread();
          else retryTimer = setTimeout(connect, delay);
        }
      });
    end = () => subscription.unsubscribe();
  };
  connect();
  return () => {
    stopped = true;
    clearTimeout(rereadTimer);
    clearTimeout(retryTimer);
    end();
  };
}

/**
 * The events of a case after the cursor. Pass the cursor of the page's first read of the case; null
 * starts at the first event. Nothing is requested while the cursor is undefined (still loading) or
 * no user is signed in. `onReread` is called when lists of the case have changed: run the page's
 * query again with network-only.
 */
export function useCaseEvents(
  caseId: string | null,
  after: string | null | undefined,
  onReread: () => void,
): CaseEventLine[] {
  const client = useClient();
  const signedIn = useSignedIn();
  const [received, setReceived] = useState<{ caseId: string | null; events: CaseEventLine[] }>({
    caseId,
    events: [],
  });
  const position = useRef<{ caseId: string | null; cursor: string | null }>({
    caseId: null,
    cursor: null,
  });
  const reread = useRef(onReread);
  // Start at the first cursor; later ones arrive with the events.
  const first = useRef(after);
  useEffect(() => {
    reread.current = onReread;
    first.current = after;
  });
  const ready = after !== undefined;
  useEffect(() => {
    if (!caseId || !ready || !signedIn) return;
    if (position.current.caseId !== caseId)
      position.current = { caseId, cursor: first.current ?? null };
    return followCase(client, caseId, position.current.cursor, {
      onEvent: (event) => {
        position.current = { caseId, cursor: event.cursor };
        setReceived((was) => ({
          caseId,
          events: appended(was.caseId === caseId ? was.events : [], event),
        }));
      },
      onReread: () => reread.current(),
    });
  }, [client, caseId, ready, signedIn]);
  return received.caseId === caseId ? received.events : [];
}
