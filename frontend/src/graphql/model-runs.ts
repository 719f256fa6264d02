// What language models were asked about a case, read when the user opens the panel.
import { useEffect, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { modelEntries } from '../lib/model-runs';
import { type Failure, failureOf } from '../lib/refusals';
import { ModelRuns } from './model.graphql';

/** The runs of a case; while the panel is open, they are read again after each change of the case. */
export function useModelRuns(caseId: string, version: string) {
  const [opened, setOpened] = useState(false);
  const [{ data, error }, refetch] = useQuery({
    query: ModelRuns,
    variables: { id: caseId },
    pause: !opened,
    requestPolicy: 'network-only',
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the case may be a new run
  useEffect(() => {
    if (opened) refetch({ requestPolicy: 'network-only' });
  }, [version]);
  const found = opened ? data?.case : undefined;
  const entries = useMemo(
    () => (found ? modelEntries(found.modelRuns, found.lastEvents) : null),
    [found],
  );
  const failure: Failure | null = error && opened ? failureOf(error) : null;
  return {
    opened,
    entries,
    failure,
    toggle: () => setOpened(!opened),
    retry: () => refetch({ requestPolicy: 'network-only' }),
  };
}
