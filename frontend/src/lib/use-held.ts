// A row of a live list whose dialog is open.
import { useState } from 'react';

/**
 * The rows, and the row that is held although another person has ended it: its dialog would close without
 * a word. The command of the dialog is refused, and says who was first.
 */
export function useHeld<Row extends { id: string }>(rows: readonly Row[]) {
  const [held, hold] = useState<Row | null>(null);
  const left = held !== null && !rows.some(({ id }) => id === held.id);
  return { rows: left ? [held, ...rows] : rows, hold };
}
