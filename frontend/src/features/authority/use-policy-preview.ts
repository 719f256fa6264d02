// Asks the server for the faults of a policy text and for its effect, after typing has paused.
import { useState } from 'react';
import { type Question, useDebounced } from '../../graphql/debounced';
import type { PolicyEffectFieldsFragment } from '../../graphql/generated/graphql';
import { PreviewPolicy } from './authority.graphql';

export type Preview = PolicyEffectFieldsFragment;

const previewOf: Question<Preview | null> = async (client, document) => {
  const { data } = await client
    .query(PreviewPolicy, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  return data?.previewPolicy ?? null;
};

/** The preview of the text; null until it has arrived. `again` asks once more. */
export function usePolicyPreview(text: string): {
  preview: Preview | null;
  failed: boolean;
  again: () => void;
} {
  const [round, setRound] = useState(0);
  // White space after the text asks again without changing what it means.
  const asked = text === '' ? '' : text + ' '.repeat(round % 16);
  const latest = useDebounced(asked, previewOf);
  const own = latest?.text === asked ? latest : null;
  return {
    preview: own?.answer ?? null,
    failed: own !== null && own.answer === null,
    again: () => setRound(round + 1),
  };
}
