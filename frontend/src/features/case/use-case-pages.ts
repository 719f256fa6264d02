// The pages of the case list that were read, and the selection among their rows.
import { useCallback, useMemo, useState } from 'react';
import type { CaseListQuery } from '../../graphql/generated/graphql';
import { type Selection, useSelection } from '../../lib/selection';
import type { SelectedCase } from '../../ui/BulkActions';

export type Row = CaseListQuery['cases']['nodes'][number];

/** A page of the list as it was read. */
export interface ReadPage {
  rows: readonly Row[];
  /** The cursor of the next page; null if there is none. */
  next: string | null;
}

/** The indices of the pages with the rows from `first` to `last` of the list. */
export function pagesWith(
  pages: readonly Pick<ReadPage, 'rows'>[],
  first: number,
  last: number,
): number[] {
  let end = 0;
  return pages.flatMap(({ rows }, index) => {
    const start = end;
    end += rows.length;
    return start <= last && end > first ? [index] : [];
  });
}

export interface CasePages {
  pages: readonly ReadPage[];
  rows: readonly Row[];
  selection: Selection<SelectedCase>;
  onRead: (index: number, page: ReadPage) => void;
}

/** The pages that were read so far of the filter and order named by the key. */
export function useCasePages(key: string): CasePages {
  const [pages, setPages] = useState<readonly ReadPage[]>([]);
  const [of, setOf] = useState(key);
  const rows = useMemo(() => pages.flatMap((page) => page.rows), [pages]);
  const selection = useSelection<SelectedCase>(rows);
  if (of !== key) {
    setOf(key);
    setPages([]);
    selection.clear();
  }
  const onRead = useCallback(
    (index: number, page: ReadPage) =>
      setPages((before) => Object.assign([...before], { [index]: page })),
    [],
  );
  return { pages, rows, selection, onRead };
}
