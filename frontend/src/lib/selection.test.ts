import { act, renderHook } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { between, maxSelected, useSelection, withRows } from './selection';

const row = (id: string, version = '1') => ({ id, version });
const rows = ['a', 'b', 'c', 'd'].map((id) => row(id));
const ids = (list: Iterable<{ id: string }>) => [...list].map(({ id }) => id).join('');

describe('a selection', () => {
  it('has the rows between two rows, in both directions', () => {
    expect(ids(between(rows, 'a', 'c'))).toBe('abc');
    expect(ids(between(rows, 'd', 'b'))).toBe('bcd');
    expect(ids(between(rows, 'gone', 'b'))).toBe('b');
    expect(ids(between(rows, 'a', 'gone'))).toBe('');
  });

  it('is bounded, and keeps the state in which a row was selected', () => {
    const many = Array.from({ length: maxSelected + 1 }, (_, at) => row(String(at)));
    expect(withRows(new Map(), many).size).toBe(maxSelected);
    const chosen = withRows(withRows(new Map(), rows), [row('a', '2')]);
    expect(chosen.get('a')?.version).toBe('1');
  });

  it('outlives rows that leave the list, and selects ranges', () => {
    const { result, rerender } = renderHook(({ list }) => useSelection(list), {
      initialProps: { list: rows },
    });
    act(() => result.current.toggle('a'));
    act(() => result.current.toggle('c', true));
    expect(ids(result.current.chosen.values())).toBe('abc');
    act(() => result.current.toggle('b'));
    rerender({ list: rows.slice(2) });
    expect(ids(result.current.chosen.values())).toBe('ac');
    act(() => result.current.extend('c', 'd'));
    expect(ids(result.current.chosen.values())).toBe('acd');
    act(() => result.current.remove(['a']));
    expect(ids(result.current.chosen.values())).toBe('cd');
    act(() => result.current.clear());
    expect(result.current.chosen.size).toBe(0);
  });

  it('has the same functions when rows are selected and the list changes', () => {
    const { result, rerender } = renderHook(({ list }) => useSelection(list), {
      initialProps: { list: rows },
    });
    const { chosen: before, ...functions } = result.current;
    act(() => result.current.toggle('a'));
    rerender({ list: [...rows, row('e')] });
    act(() => functions.toggle('e'));
    const { chosen, ...later } = result.current;
    expect(ids(chosen.values())).toBe('ae');
    expect(before.size).toBe(0);
    for (const name of Object.keys(functions) as (keyof typeof functions)[])
      expect(later[name]).toBe(functions[name]);
  });
});
