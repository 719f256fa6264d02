// Asks the server what each role may do by a text of the policy.
import { useRef } from 'react';
import { type Question, useDebounced } from '../../graphql/debounced';
import type { PolicyMatrixQuery } from '../../graphql/generated/graphql';
import { PolicyMatrix } from './authority.graphql';

type Matrix = NonNullable<PolicyMatrixQuery['policyMatrix']>;
type Found = { matrix: Matrix | null; failed: boolean };

const matrixOf: Question<Found> = async (client, document) => {
  const { data } = await client
    .query(PolicyMatrix, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  return { matrix: data?.policyMatrix ?? null, failed: !data };
};

/** The matrix of the text, or of the last text without faults. */
export function usePolicyMatrix(text: string): {
  matrix: Matrix | null;
  state: 'ready' | 'loading' | 'broken' | 'failed';
} {
  const latest = useDebounced(text, matrixOf);
  const last = useRef<Matrix | null>(null);
  if (latest?.answer.matrix) last.current = latest.answer.matrix;
  const own = latest?.text === text ? latest.answer : null;
  const state = !own ? 'loading' : own.failed ? 'failed' : own.matrix ? 'ready' : 'broken';
  return { matrix: last.current, state };
}
