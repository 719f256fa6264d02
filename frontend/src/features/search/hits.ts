// What the list of the search box and the page of results show of a hit.
import type { TFunction } from 'i18next';
import type { SearchHitLineFragment } from '../../graphql/generated/graphql';
import { fieldLabel } from '../../lib/labels';

export type Hit = SearchHitLineFragment;
export type Snippet = Hit['snippets'][number];

/** A part of a text, found or between found words. */
export interface Piece {
  from: number;
  text: string;
  found: boolean;
}

/** Divides a text at its marks. Marks outside the text or before the end of another one are ignored. */
export function piecesOf(
  text: string,
  marks: readonly { from: number; to: number }[],
): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const add = (from: number, to: number, found: boolean) => {
    if (from < to) pieces.push({ from, text: text.slice(from, to), found });
    end = to;
  };
  for (const { from, to } of marks) {
    if (from < end || to <= from || to > text.length) continue;
    add(end, from, false);
    add(from, to, true);
  }
  add(end, text.length, false);
  return pieces;
}

/** What the text of a snippet is: a page, a named field, a file name … */
export function kindLabel(t: TFunction<'translation'>, snippet: Snippet): string {
  if (snippet.page) return t('search.page', { number: snippet.page.number });
  if (snippet.field !== '') return fieldLabel(t, snippet.field);
  return t(`search.kinds.${snippet.kind}`);
}

/** The address of a found case: its page with the found words highlighted if they are on one. */
export function addressOf(hit: Hit, query: string, snippet?: Snippet) {
  const page = snippet ? snippet.page : hit.snippets.find((one) => one.page)?.page;
  return {
    to: '/cases/$id',
    params: { id: hit.case.reference },
    search: page ? { find: query, page: page.number } : {},
  } as const;
}
