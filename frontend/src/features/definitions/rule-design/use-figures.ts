// How often each rule found something within the last days, and how often it was overruled.
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { dayOf } from '../../../lib/days';
import { RuleFigures } from './figures.graphql';

export const figureDays = 90;

export interface Figures {
  hits: number;
  overruled: number;
}

/**
 * The figures by rule of documents of these types; null if they are unknown or the user sees only their own.
 */
export function useFigures(documentTypes: readonly string[]): ReadonlyMap<string, Figures> | null {
  const [period] = useState(() => {
    const now = new Date();
    const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - figureDays + 1);
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { from: dayOf(first), to: dayOf(now), zone };
  });
  const [{ data }] = useQuery({
    query: RuleFigures,
    variables: { period, documentTypes: [...documentTypes] },
  });
  return useMemo(
    () =>
      data && data.statistics.scope !== 'OWN'
        ? new Map(data.statistics.rules.map((one) => [one.rule, one]))
        : null,
    [data],
  );
}
