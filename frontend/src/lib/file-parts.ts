// The parts of a file by the pages at which a new document begins.

export interface PageRange {
  first: number;
  last: number;
}

/** The parts of a file of `pages` pages. The first part begins with page 1. */
export function partsOf(pages: number, begins: ReadonlySet<number>): PageRange[] {
  const firsts = [1];
  for (let page = 2; page <= pages; page += 1) if (begins.has(page)) firsts.push(page);
  return firsts.map((first, i) => ({ first, last: (firsts[i + 1] ?? pages + 1) - 1 }));
}

/** The pages of a range as text: "3" or "1–2". */
export const pagesText = ({ first, last }: PageRange): string =>
  first === last ? String(first) : `${first}–${last}`;

/** The values of a sentence about pages, which has a form for one page and a form for several. */
export const pagesOf = (range: PageRange): { pages: string; count: number } => ({
  pages: pagesText(range),
  count: range.last - range.first + 1,
});

/**
 * The pages at which the documents begin that the reading found, from the evidence of the finding:
 * "1", "2-3", and "1:left" for an area of a page. Areas of one page cannot be split by pages.
 */
export function foundBegins(
  evidence: readonly { name: string; value: string }[],
  pages: number,
): ReadonlySet<number> {
  const codes = evidence.find(({ name }) => name === 'parts')?.value.split(',') ?? [];
  const firsts = codes.map((code) => Number.parseInt(code.trim(), 10));
  return new Set(firsts.filter((page) => page > 1 && page <= pages));
}
