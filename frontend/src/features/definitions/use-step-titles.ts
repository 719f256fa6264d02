// The titles of steps by their ids, of one process or of all.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { StepTitles } from './rehearsal.graphql';

/**
 * The titles of the steps of the newest versions, of all processes without a key. A step that processes name
 * differently keeps its id.
 */
export function useStepTitles(process?: string): ReadonlyMap<string, string> {
  const { i18n } = useTranslation();
  const [{ data }] = useQuery({ query: StepTitles });
  return useMemo(() => {
    const titles = new Map<string, string>();
    const asked = (data?.processDefinitions.nodes ?? []).filter(
      ({ key }) => process === undefined || key === process,
    );
    for (const { graph } of asked)
      for (const { id, label, labels } of graph?.nodes ?? []) {
        const title = labels.find(({ name }) => name === i18n.language)?.value || label;
        titles.set(id, titles.has(id) && titles.get(id) !== title ? id : title);
      }
    return titles;
  }, [data, i18n.language, process]);
}
