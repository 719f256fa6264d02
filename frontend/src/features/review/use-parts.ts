// The commands that split the file of a case and that merge parts again.
import { useRef, useState } from 'react';
import { useClient } from 'urql';
import type { MergePartsInput, SplitCaseInput } from '../../graphql/generated/graphql';
import { isLost, useResend } from '../../graphql/resend';
import type { PageRange } from '../../lib/file-parts';
import { newKey } from '../../lib/keys';
import { type Failure, failureOf, type Refusal } from '../../lib/refusals';
import { MergeParts, SplitCase } from './parts.graphql';
import type { ReadableReview } from './review-facts';

/** What the user is doing with the parts, and what became of it. */
export interface PartsState {
  dialog: 'split' | 'merge' | null;
  busy: boolean;
  refusals: readonly Refusal[];
  failure: Failure | null;
  /** The new cases, after a split or merge. */
  result: readonly { reference: string; pages: PageRange | null }[] | null;
}

const idle: PartsState = { dialog: null, busy: false, refusals: [], failure: null, result: null };

/** `onBehalfOf` is the delegator of the commands; null is the user. */
export function useParts(review: ReadableReview, onBehalfOf: string | null, reread: () => void) {
  const client = useClient();
  const [state, setState] = useState<PartsState>(idle);
  const key = useRef<{ request: string; key: string } | null>(null);
  const inputOf = <What extends object>(extra: What) => {
    const request = {
      reviewId: review.id,
      expectedVersion: review.version,
      onBehalfOf,
      ...extra,
    };
    const text = JSON.stringify(request);
    if (key.current?.request !== text) key.current = { request: text, key: newKey() };
    return { ...request, idempotencyKey: key.current.key };
  };
  const resend = useResend();
  const end = (
    refusals: readonly Refusal[],
    failure: Failure | null,
    result: NonNullable<PartsState['result']>,
  ) => {
    const done = refusals.length === 0 && failure === null;
    setState((now) => ({
      dialog: done ? null : now.dialog,
      busy: false,
      refusals,
      failure,
      result: done ? result : null,
    }));
    if (done) reread();
  };
  const split = async (input: SplitCaseInput) => {
    setState((now) => ({ ...now, busy: true, refusals: [], failure: null }));
    const { data, error } = await client.mutation(SplitCase, { input }).toPromise();
    end(
      data?.splitCase.userErrors ?? [],
      error ? failureOf(error) : null,
      data?.splitCase.parts ?? [],
    );
    return isLost(error);
  };
  const merge = async (input: MergePartsInput) => {
    setState((now) => ({ ...now, busy: true, refusals: [], failure: null }));
    const { data, error } = await client.mutation(MergeParts, { input }).toPromise();
    const reference = data?.mergeParts.reference;
    end(
      data?.mergeParts.userErrors ?? [],
      error ? failureOf(error) : null,
      reference ? [{ reference, pages: null }] : [],
    );
    return isLost(error);
  };
  return {
    state,
    askSplit: () => setState({ ...idle, dialog: 'split' }),
    askMerge: () => setState({ ...idle, dialog: 'merge' }),
    close: () => setState((now) => ({ ...now, dialog: null, refusals: [], failure: null })),
    split: (parts: readonly PageRange[]) => {
      const input = inputOf({ parts: parts.map(({ first, last }) => ({ first, last })) });
      void resend(() => split(input));
    },
    merge: (reason: string) => {
      const input = inputOf({ reason });
      void resend(() => merge(input));
    },
  };
}
