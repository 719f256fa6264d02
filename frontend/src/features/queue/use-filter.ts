// The filters and the order of the queue, which are in its address.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReviewFilter, ReviewSort } from '../../graphql/generated/graphql';
import type { QueueSearch } from '../../lib/queue-address';
import { makeStore } from '../../lib/store';

export interface QueueFilter {
  whose: 'all' | 'mine' | 'available';
  queue: string;
  text: string;
  sort: string;
}

export const sorts = [
  'deadline',
  'amount_highest',
  'amount_lowest',
  'risk_highest',
  'oldest',
  'newest',
  'vendor',
] as const;

const sortNames: Record<(typeof sorts)[number], ReviewSort> = {
  deadline: 'DEADLINE',
  amount_highest: 'AMOUNT_HIGHEST',
  amount_lowest: 'AMOUNT_LOWEST',
  risk_highest: 'RISK_HIGHEST',
  oldest: 'OLDEST',
  newest: 'NEWEST',
  vendor: 'VENDOR',
};

/** The filter without restrictions. */
export const everything: QueueFilter = { whose: 'all', queue: '', text: '', sort: '' };

/** The order of the list; an unknown one is the earliest deadline first. */
export const sortOf = ({ sort }: QueueFilter): ReviewSort =>
  sortNames[sorts.find((one) => one === sort) ?? 'deadline'];

export function filterOf({ whose, queue, text }: QueueFilter): ReviewFilter {
  return {
    ...(whose !== 'all' && { [whose]: true }),
    ...(queue !== '' && { queue }),
    ...(text !== '' && { text }),
  };
}

export function exportFilters({ whose, queue, text }: QueueFilter) {
  return { ...(whose !== 'all' && { [whose]: 'true' }), queue, text };
}

/** The filter of the last visit, kept in memory for links to the queue that name none. */
const lastFilter = makeStore<QueueSearch>({});

/** The filter of the address, and how it is changed. */
export function useFilter() {
  const search: QueueSearch = useSearch({ from: '/signed-in/queue' });
  const navigate = useNavigate();
  const set = (next: QueueSearch) => {
    lastFilter.set(next);
    void navigate({ to: '/queue', search: next, replace: true });
  };
  const named = Object.keys(search).length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the page is opened
  useEffect(() => {
    if (named) lastFilter.set(search);
    else if (Object.keys(lastFilter.get()).length > 0) set(lastFilter.get());
  }, []);
  const filter: QueueFilter = {
    whose: search.whose ?? 'all',
    queue: search.queue ?? '',
    text: search.text ?? '',
    sort: search.sort ?? '',
  };
  const change = ({ whose, queue, text, sort }: QueueFilter) =>
    set({
      ...(whose !== 'all' && { whose }),
      ...(queue !== '' && { queue }),
      ...(text !== '' && { text }),
      ...(sort !== '' && sort !== 'deadline' && { sort }),
      ...(search.view && { view: search.view }),
    });
  return { filter, change, search, set };
}
