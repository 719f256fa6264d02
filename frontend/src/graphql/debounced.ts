// Asks the server about a text after typing has paused; only the latest response counts.
import { useEffect, useRef, useState } from 'react';
import { type Client, useClient } from 'urql';

/** The delay between the last change and the request, in milliseconds. */
const delay = 350;

export interface Answer<A> {
  /** The text that was asked about. */
  text: string;
  answer: A;
}

/** Asks about the text; `before` is the answer shown so far. Its identity must not change. */
export type Question<A> = (client: Client, text: string, before: A | null) => Promise<A>;

/** The latest answer, which may be about an earlier text; null before the first. */
export function useDebounced<A>(text: string, question: Question<A>): Answer<A> | null {
  const client = useClient();
  const [latest, setLatest] = useState<Answer<A> | null>(null);
  const before = useRef<A | null>(null);
  useEffect(() => {
    before.current = latest?.answer ?? null;
  });
  useEffect(() => {
    if (text.trim() === '') return;
    let active = true;
    const timer = setTimeout(async () => {
      const answer = await question(client, text, before.current);
      if (active) setLatest({ text, answer });
    }, delay);
    return () => {
      active = false;
      clearTimeout(timer);
    };
  }, [client, text, question]);
  return latest;
}
