// The history of a field of a case, read when the user opens it.
import { useState } from 'react';
import { useQuery } from 'urql';
import { type Failure, failureOf } from '../lib/refusals';
import { FieldHistory } from './facts.graphql';

/** The open history of a case; `open` and `close` change the field. */
export function useFieldHistory(caseId: string) {
  const [field, setField] = useState<string | null>(null);
  const [{ data, error, fetching }, refetch] = useQuery({
    query: FieldHistory,
    variables: { id: caseId, field: field ?? '' },
    pause: field === null,
    requestPolicy: 'network-only',
  });
  const failure: Failure | null = error ? failureOf(error) : null;
  const found = field === null || fetching ? undefined : data?.case;
  return {
    field,
    values: found?.fieldHistory ?? null,
    revision: found?.document?.revision ?? 0,
    pages: found?.document?.pages ?? [],
    failure,
    open: (name: string) => setField(name),
    close: () => setField(null),
    retry: () => refetch({ requestPolicy: 'network-only' }),
  };
}
