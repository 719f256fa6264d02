// Where the keys of the grid of line items lead.
import { columns } from './line-rows';

export interface CellAt {
  row: number;
  column: number;
}

interface Key {
  key: string;
  shiftKey: boolean;
  ctrlKey?: boolean;
}

/** How many rows the grid shows without scrolling, and Page Up and Page Down move. */
export const pageRows = 12;

/**
 * The cell that a key leads to; null if the key moves nothing here. Tab leaves the grid after the last
 * cell and before the first. Enter, after a value was typed, leads to the row below, which can be a new one.
 */
export function moveOf(
  { key, shiftKey, ctrlKey }: Key,
  { row, column }: CellAt,
  count: number,
  afterTyping = false,
): CellAt | null {
  const last = columns.length - 1;
  const within = (at: number) => Math.max(0, Math.min(count - 1, at));
  switch (key) {
    case 'ArrowUp':
      return { row: within(row - 1), column };
    case 'ArrowDown':
      return { row: within(row + 1), column };
    case 'ArrowLeft':
      return { row, column: Math.max(0, column - 1) };
    case 'ArrowRight':
      return { row, column: Math.min(last, column + 1) };
    case 'PageUp':
      return { row: within(row - pageRows), column };
    case 'PageDown':
      return { row: within(row + pageRows), column };
    case 'Home':
      return { row: ctrlKey ? 0 : row, column: 0 };
    case 'End':
      return { row: ctrlKey ? count - 1 : row, column: last };
    case 'Enter':
      return afterTyping ? { row: shiftKey ? within(row - 1) : row + 1, column } : null;
    case 'Tab': {
      const at = row * columns.length + column + (shiftKey ? -1 : 1);
      if (at < 0 || at >= count * columns.length) return null;
      return { row: Math.floor(at / columns.length), column: at % columns.length };
    }
    default:
      return null;
  }
}
