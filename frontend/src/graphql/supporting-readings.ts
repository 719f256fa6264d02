// What was read of the supporting documents of a case, read when the user opens the pages of one.
import { useState } from 'react';
import { useQuery } from 'urql';
import { failureOf } from '../lib/refusals';
import type { SupportingViewer } from '../lib/supporting';
import { SupportingReadings } from './supporting.graphql';

/** The document whose pages are shown; onSeen is called when the user closes them. */
export function useSupportingReadings(caseId: string, onSeen?: () => void): SupportingViewer {
  const [shown, setShown] = useState<number | null>(null);
  const [{ data, error }, refetch] = useQuery({
    query: SupportingReadings,
    variables: { id: caseId },
    pause: shown === null,
    requestPolicy: 'cache-and-network',
  });
  return {
    shown,
    readings: data?.case?.supportingReadings ?? null,
    failure: !data && error ? failureOf(error) : null,
    show: setShown,
    close: () => {
      setShown(null);
      onSeen?.();
    },
    retry: () => refetch({ requestPolicy: 'network-only' }),
  };
}
