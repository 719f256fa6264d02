// The titles of processes, which statistics name by key.
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { processTitle } from '../../lib/sample-shares';
import { StatisticsProcesses } from './statistics.graphql';

/** Returns the title of a process in the user's language; the key until the titles are loaded. */
export function useProcessTitle(): (key: string) => string {
  const { i18n } = useTranslation();
  const [{ data }] = useQuery({ query: StatisticsProcesses });
  const processes = data?.processDefinitions.nodes;
  return useCallback(
    (key: string) => processTitle(processes ?? [], i18n.language, key),
    [processes, i18n.language],
  );
}
