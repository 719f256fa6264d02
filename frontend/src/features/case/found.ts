// The places of searched words on the pages of a case.
import type { FoundWordsQuery } from '../../graphql/generated/graphql';
import type { PageBox, PageScan } from '../../ui/PageImage';

type FoundCase = FoundWordsQuery['search']['nodes'][number];

export interface Found {
  pages: PageScan[];
  boxes: PageBox[];
}

/** The pages of the case that have the words, and the boxes of these in the order of reading. */
export function foundOf(
  nodes: readonly FoundCase[],
  caseId: string,
  labelOf: (number: number) => string,
): Found {
  const found = nodes.find((node) => node.case.id === caseId)?.snippets ?? [];
  const pages = found
    .flatMap(({ page }) => (page && page.boxes.length > 0 ? [page] : []))
    .sort((a, b) => a.number - b.number);
  const places = pages.flatMap(({ number, boxes }) => boxes.map((box) => ({ page: number, box })));
  const boxes = places.map(({ page, box }, index) => ({
    id: String(index),
    page,
    box,
    label: labelOf(index + 1),
    doubtful: false,
    found: true,
  }));
  return { pages, boxes };
}
