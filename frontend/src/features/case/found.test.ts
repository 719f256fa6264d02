import { describe, expect, it } from 'vitest';
import { foundOf } from './found';

const box = (x: number) => ({ x, y: 1, w: 5, h: 2 });
const page = (number: number, ...xs: number[]) => ({
  page: { number, width: 100, height: 200, path: `/p/${number}`, boxes: xs.map(box) },
});
const node = (id: string, ...snippets: { page: ReturnType<typeof page>['page'] | null }[]) =>
  ({ case: { id, version: '1', updatedAt: '' }, snippets }) as never;

describe('the found words of a case', () => {
  it('are those of this case only, by page', () => {
    const nodes = [
      node('other', page(1, 7)),
      node('mine', page(4, 1, 2), { page: null }, page(2, 3)),
    ];
    const found = foundOf(nodes, 'mine', (number) => `match ${number}`);
    expect(found.pages.map(({ number }) => number)).toEqual([2, 4]);
    expect(found.boxes.map((one) => [one.id, one.page, one.box.x, one.label])).toEqual([
      ['0', 2, 3, 'match 1'],
      ['1', 4, 1, 'match 2'],
      ['2', 4, 2, 'match 3'],
    ]);
  });

  it('are none when the case is not found, or has no boxes', () => {
    const label = String;
    expect(foundOf([node('other', page(1, 7))], 'mine', label)).toEqual({ pages: [], boxes: [] });
    expect(foundOf([node('mine', page(1))], 'mine', label)).toEqual({ pages: [], boxes: [] });
  });
});
