// The titles of rules in a language, by their ids.
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { RuleTitles } from './rule-titles.graphql';

/** The titles of the rules of the newest rule sets in the language. */
export function useRuleTitles(language: string): ReadonlyMap<string, string> {
  const [{ data }] = useQuery({ query: RuleTitles });
  return useMemo(() => {
    const titles = new Map<string, string>();
    for (const set of data?.ruleSets.nodes ?? [])
      for (const rule of set.rules)
        titles.set(rule.id, rule.titles.find(({ name }) => name === language)?.value ?? rule.id);
    return titles;
  }, [data, language]);
}
