// The words of the pages, and what happens to a word that was clicked: it goes into the focused
// field, otherwise into the highlighted one, as if it was typed.
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useClient } from 'urql';
import type { Taken, WordSource } from '../../ui/pages/use-word-picker';
import type { ReadWord } from './alternatives';
import type { ReadableReview } from './review-facts';
import type { ReviewWorkspaceState } from './use-review';
import { ReviewWords } from './words.graphql';

type Words = ReadonlyMap<number, readonly ReadWord[]>;

/** The field whose line has the focus. */
export const focusedField = (): string | null =>
  document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row ?? null;

/** The words of this revision of the document, as soon as they are loaded. */
function useWords(review: ReadableReview, wanted: boolean): Words | null {
  const client = useClient();
  const revision = review.case.document?.revision ?? null;
  const [loaded, setLoaded] = useState<{ revision: number; words: Words } | null>(null);
  useEffect(() => {
    if (!wanted || revision === null) return;
    let current = true;
    const request = client.query(ReviewWords, { id: review.id }, { requestPolicy: 'network-only' });
    void request.toPromise().then(({ data }) => {
      const document = data?.review?.case?.document;
      if (!current || !document) return;
      const words = new Map(document.pages.map((page) => [page.number, page.words]));
      setLoaded({ revision: document.revision, words });
    });
    return () => {
      current = false;
    };
  }, [client, review.id, revision, wanted]);
  // The words of another revision would be text that the shown pages do not have.
  return loaded && loaded.revision === revision ? loaded.words : null;
}

interface PageWordsInput {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  /** The field that is highlighted on the pages. */
  lit: string | null;
  focusField: (field: string) => void;
}

/** What was wrong with the last click; null if nothing. */
export type TakeProblem = 'noField' | 'hidden' | 'choice' | null;

export function usePageWords({ review, workspace, lit, focusField }: PageWordsInput) {
  const { snapshot, send } = workspace;
  const writable = snapshot.can({ type: 'TYPE', name: '', value: '' });
  const words = useWords(review, writable);
  const [problem, setProblem] = useState<TakeProblem>(null);
  // The form of line items asks for the words of the next region.
  const [taker, setTaker] = useState<((taken: Taken) => void) | null>(null);
  const onTaker = useCallback((next: ((taken: Taken) => void) | null) => setTaker(() => next), []);
  const take = (taken: Taken) => {
    if (taker) return taker(taken);
    const { text } = taken;
    const field = focusedField() ?? lit;
    const line = review.case.fieldForm.find(({ name }) => name === field);
    if (!line) return setProblem('noField');
    if (text === null) return setProblem('hidden');
    if (line.type === 'CHOICE' || line.type === 'BOOLEAN') return setProblem('choice');
    setProblem(null);
    const upper = line.type === 'CURRENCY' || line.type === 'IBAN' || line.type === 'VAT_ID';
    send({ type: 'TYPE', name: line.name, value: upper ? text.toUpperCase() : text });
    focusField(line.name);
  };
  const source = useMemo<Omit<WordSource, 'onTake'> | null>(
    () => (writable && words ? { words, fieldFocused: () => focusedField() !== null } : null),
    [writable, words],
  );
  return { source: source && { ...source, onTake: take }, problem, words, onTaker };
}
