import { expect, it } from 'vitest';
import { moveOf } from './line-keys';

const press = (key: string, more: { shiftKey?: boolean; ctrlKey?: boolean } = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  ...more,
});

it('moves by arrows within the grid', () => {
  expect(moveOf(press('ArrowUp'), { row: 0, column: 2 }, 3)).toEqual({ row: 0, column: 2 });
  expect(moveOf(press('ArrowDown'), { row: 1, column: 2 }, 3)).toEqual({ row: 2, column: 2 });
  expect(moveOf(press('ArrowRight'), { row: 1, column: 5 }, 3)).toEqual({ row: 1, column: 5 });
  expect(moveOf(press('End', { ctrlKey: true }), { row: 0, column: 0 }, 5000)).toEqual({
    row: 4999,
    column: 5,
  });
});

it('leaves the grid by Tab at its ends', () => {
  expect(moveOf(press('Tab'), { row: 0, column: 5 }, 2)).toEqual({ row: 1, column: 0 });
  expect(moveOf(press('Tab'), { row: 1, column: 5 }, 2)).toBeNull();
  expect(moveOf(press('Tab', { shiftKey: true }), { row: 0, column: 0 }, 2)).toBeNull();
});

it('leads to a new row by Enter after typing', () => {
  expect(moveOf(press('Enter'), { row: 1, column: 0 }, 2)).toBeNull();
  expect(moveOf(press('Enter'), { row: 1, column: 0 }, 2, true)).toEqual({ row: 2, column: 0 });
});
