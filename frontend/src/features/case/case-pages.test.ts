import { act, renderHook } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { pagesWith, type Row, useCasePages } from './use-case-pages';

const row = (id: string) => ({ id }) as Row;
const page = (...ids: string[]) => ({ rows: ids.map(row), next: null });

describe('the pages of the case list', () => {
  it('are those with the rows in the window', () => {
    const pages = [page('a', 'b'), page('c', 'd', 'e'), page('f')];
    expect(pagesWith(pages, 0, 0)).toEqual([0]);
    expect(pagesWith(pages, 1, 2)).toEqual([0, 1]);
    expect(pagesWith(pages, 4, 5)).toEqual([1, 2]);
    expect(pagesWith(pages, 5, 9)).toEqual([2]);
    expect(pagesWith([], 0, 0)).toEqual([]);
  });

  it('keep the rows of the other pages when one is read again, and are another list with another filter', () => {
    const { result, rerender } = renderHook(({ key }) => useCasePages(key), {
      initialProps: { key: 'all' },
    });
    const kept = page('a', 'b');
    act(() => result.current.onRead(0, kept));
    act(() => result.current.onRead(1, page('c')));
    act(() => result.current.onRead(1, page('c', 'd')));
    expect(result.current.rows.map(({ id }) => id).join('')).toBe('abcd');
    expect(result.current.rows[0]).toBe(kept.rows[0]);
    act(() => result.current.selection.toggle('d'));
    rerender({ key: 'archived' });
    expect(result.current.rows).toEqual([]);
    expect(result.current.selection.chosen.size).toBe(0);
  });
});
