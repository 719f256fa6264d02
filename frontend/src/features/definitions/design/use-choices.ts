// What a process can name: the queues, document types and rules that exist.
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { CallableProcess } from './call';
import { DesignOptions } from './options.graphql';

export interface DesignChoices {
  queues: readonly string[];
  documentTypes: readonly string[];
  rules: readonly string[];
  /** The processes that others can call. */
  callable: readonly CallableProcess[];
}

export function useChoices(): DesignChoices {
  const [{ data }] = useQuery({ query: DesignOptions });
  return useMemo(
    () => ({
      queues: data?.queueSettings.map(({ queue }) => queue) ?? [],
      documentTypes: (data?.documentTypes.nodes ?? [])
        .filter(({ newest }) => newest)
        .map(({ key }) => key),
      rules: (data?.ruleSets.nodes ?? [])
        .filter(({ newest }) => newest)
        .flatMap(({ rules }) => rules.map(({ id }) => id)),
      callable: data?.processDefinitions.nodes ?? [],
    }),
    [data],
  );
}
