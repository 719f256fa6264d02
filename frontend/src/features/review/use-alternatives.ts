// The alternatives of the highlighted field, if it is doubtful or its sources differ.
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { FieldHistory } from '../../graphql/facts.graphql';
import { type Alternative, alternativesOf, otherReading, type ReadWord } from './alternatives';
import { isValueOf } from './field-text';
import { type ReadableReview, textOf } from './review-facts';

const none: readonly Alternative[] = [];

export function useAlternatives(
  review: ReadableReview,
  lit: string | null,
  words: ReadonlyMap<number, readonly ReadWord[]> | null,
  writable: boolean,
): readonly Alternative[] {
  const { id, fieldForm, differences, document } = review.case;
  const line = fieldForm.find(({ name }) => name === lit);
  const doubtful =
    line !== undefined &&
    (line.needsPerson || differences.some(({ field }) => field === line.name));
  const [{ data, fetching }] = useQuery({
    query: FieldHistory,
    variables: { id, field: line?.name ?? '' },
    pause: !writable || !doubtful,
    requestPolicy: 'network-only',
  });
  const history = doubtful && !fetching ? data?.case?.fieldHistory : undefined;
  return useMemo(() => {
    if (!writable || !line) return none;
    const { box, page } = line.field ?? { box: null, page: 0 };
    const other = box ? otherReading(words?.get(page) ?? [], box) : null;
    const isValue = (text: string) => isValueOf(line.type, text);
    return alternativesOf(textOf(line), history ?? [], document?.revision ?? 0, other, isValue);
  }, [writable, line, history, document, words]);
}
