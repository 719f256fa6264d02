// The titles of steps by their ids, for rehearsals that concern several processes.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { StepTitles } from './rehearsal.graphql';

/** The titles of the steps of the newest versions. A step that processes name differently keeps its id. */
export function useStepTitles(): ReadonlyMap<string, string> {
  const { i18n } = useTranslation();
  const [{ data }] = useQuery({ query: StepTitles });
  return useMemo(() => {
    const titles = new Map<string, string>();
    for (const { graph } of data?.processDefinitions.nodes ?? [])
      for (const { id, label, labels } of graph?.nodes ?? []) {
        const title = labels.find(({ name }) => name === i18n.language)?.value || label;
        titles.set(id, titles.has(id) && titles.get(id) !== title ? id : title);
      }
    return titles;
  }, [data, i18n.language]);
}
