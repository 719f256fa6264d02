// Makes a table of the words of a region of a page: rows and columns by their boxes, what each column
// probably is, and line items of both.
import type { PageWord } from '../../ui/pages/words';
import { joined } from '../../ui/pages/words';
import { type Column, type DecimalMark, emptyRow, type LineRow, plainNumber } from './line-rows';

export type Role = Column | 'ignore';

export interface PageTable {
  /** The cells of each row; as many as there are columns, "" for an empty one. */
  rows: readonly (readonly string[])[];
  roles: readonly Role[];
  mark: DecimalMark;
}

interface Cell {
  from: number;
  to: number;
  text: string;
}

const middle = ({ box }: PageWord) => box.y + box.h / 2;

/** Words whose middles are closer than half of their height are in one row. */
function rowsOfWords(words: readonly PageWord[]): PageWord[][] {
  const rows: { y: number; h: number; words: PageWord[] }[] = [];
  for (const word of [...words].sort((a, b) => middle(a) - middle(b))) {
    const row = rows.at(-1);
    if (row && Math.abs(middle(word) - row.y) < Math.min(row.h, word.box.h) / 2 + 1) {
      row.words.push(word);
      row.y += (middle(word) - row.y) / row.words.length;
    } else rows.push({ y: middle(word), h: word.box.h, words: [word] });
  }
  return rows.map((row) => row.words.sort((a, b) => a.box.x - b.box.x));
}

/** Words with less than a letter's height between them are one cell. */
function cellsOf(words: readonly PageWord[]): Cell[] {
  const cells: { cell: Cell; words: PageWord[] }[] = [];
  for (const word of words) {
    const last = cells.at(-1);
    if (last && word.box.x - last.cell.to < word.box.h * 0.8) {
      last.words.push(word);
      last.cell.to = Math.max(last.cell.to, word.box.x + word.box.w);
    } else
      cells.push({
        cell: { from: word.box.x, to: word.box.x + word.box.w, text: '' },
        words: [word],
      });
  }
  return cells.map(({ cell, words: inside }) => ({ ...cell, text: joined(inside) }));
}

/** The parts of the width that cells occupy. Rows with few cells could span several columns. */
function columnsOf(rows: readonly Cell[][]): { from: number; to: number }[] {
  const most = Math.max(0, ...rows.map((row) => row.length));
  const cells = rows.filter((row) => row.length >= Math.max(1, most - 1)).flat();
  const found: { from: number; to: number }[] = [];
  for (const cell of cells.sort((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last && cell.from <= last.to) last.to = Math.max(last.to, cell.to);
    else found.push({ from: cell.from, to: cell.to });
  }
  return found;
}

/** The column that a cell shares most of its width with, otherwise the nearest. */
function columnOf(cell: Cell, all: readonly { from: number; to: number }[]): number {
  const shared = all.map(({ from, to }) => Math.min(cell.to, to) - Math.max(cell.from, from));
  return shared.indexOf(Math.max(...shared));
}

/** The text of a number without currency, percent sign and brackets. */
const bareNumber = (text: string) =>
  text
    .replace(/^\((.*)\)$/, '-$1')
    .replace(/[%€$£¥₹]|\b[A-Z]{3}\b/g, '')
    .trim();

function markOf(texts: readonly string[]): DecimalMark {
  const votes = { '.': 0, ',': 0 };
  for (const text of texts) {
    const found = /\d([.,])\d{1,2}$/.exec(text) ?? /\d[.,]\d{3}([.,])\d+$/.exec(text);
    const mark = found?.[1];
    if (mark === '.' || mark === ',') votes[mark] += 1;
  }
  if (votes['.'] === votes[',']) return null;
  return votes['.'] > votes[','] ? '.' : ',';
}

/** The words of a region as a table; null if there are none. */
export function tableOf(words: readonly PageWord[]): PageTable | null {
  if (words.length === 0) return null;
  const cells = rowsOfWords(words).map(cellsOf);
  const found = columnsOf(cells);
  const rows = cells.map((row) => {
    const texts = found.map(() => '');
    for (const cell of row) {
      const at = columnOf(cell, found);
      texts[at] = [texts[at], cell.text].filter(Boolean).join(' ');
    }
    return texts;
  });
  const mark = markOf(rows.flat().map(bareNumber));
  return { rows, mark, roles: rolesOf(rows, mark) };
}

const decimalOfCell = (text: string, mark: DecimalMark): string | null => {
  const bare = bareNumber(text);
  const read = plainNumber(bare, mark);
  return bare !== '' && 'value' in read ? read.value : null;
};

/** Whether a cell is a number, alone or with a short unit. */
const looksNumeric = (text: string, mark: DecimalMark) => {
  const [value, rest] = numberAndRest(text, mark);
  return value !== '' && rest.length <= 6;
};

/** What the columns probably are: by their numbers, and by what multiplies to the last of them. */
function rolesOf(rows: readonly (readonly string[])[], mark: DecimalMark): Role[] {
  const count = rows[0]?.length ?? 0;
  const texts = Array.from({ length: count }, (_, at) => rows.map((row) => row[at] ?? ''));
  const filled = texts.map((column) => column.filter((text) => text !== ''));
  const numeric = filled.map(
    (column) =>
      column.length > 0 &&
      column.filter((text) => looksNumeric(text, mark)).length >= column.length / 2,
  );
  const roles: Role[] = texts.map(() => 'ignore');
  const amount = numeric.lastIndexOf(true);
  const letters = filled.map((column, at) =>
    numeric[at] ? -1 : column.join('').length / Math.max(1, column.length),
  );
  const description = letters.indexOf(Math.max(...letters));
  if (description >= 0 && !numeric[description]) roles[description] = 'description';
  if (amount < 0) return roles;
  roles[amount] = 'amount';
  const free = () => roles.flatMap((role, at) => (role === 'ignore' && numeric[at] ? [at] : []));
  const percent = free().find((at) => filled[at]?.some((text) => text.includes('%')));
  if (percent !== undefined) roles[percent] = 'taxRate';
  const factors = factorsOf(texts, free(), amount, mark);
  if (factors) {
    roles[factors[0]] = 'quantity';
    roles[factors[1]] = 'unitPrice';
  } else {
    const after = free().filter((at) => at > description);
    const [only] = after;
    if (after.length >= 2) {
      roles[after[0] ?? 0] = 'quantity';
      roles[after.at(-1) ?? 0] = 'unitPrice';
    } else if (only !== undefined)
      roles[only] = filled[only]?.some((text) => /[.,]\d{2}$/.test(bareNumber(text)))
        ? 'unitPrice'
        : 'quantity';
  }
  const unit = roles.findIndex(
    (role, at) => role === 'ignore' && !numeric[at] && at > description && (letters[at] ?? 0) <= 6,
  );
  if (unit >= 0) roles[unit] = 'unit';
  return roles;
}

/** The two columns whose product is the amount in at least half of the rows; null if there are none. */
function factorsOf(
  texts: readonly (readonly string[])[],
  free: readonly number[],
  amount: number,
  mark: DecimalMark,
): [number, number] | null {
  const number = (column: number, row: number) => {
    const value = decimalOfCell(texts[column]?.[row] ?? '', mark);
    return value === null ? Number.NaN : Number(value);
  };
  const rows = (texts[amount] ?? []).flatMap((_, row) =>
    Number.isNaN(number(amount, row)) ? [] : [row],
  );
  for (const quantity of free) {
    for (const price of free) {
      if (price <= quantity) continue;
      const fitting = rows.filter(
        (row) => Math.abs(number(quantity, row) * number(price, row) - number(amount, row)) < 0.011,
      );
      if (fitting.length > 0 && fitting.length >= rows.length / 2) return [quantity, price];
    }
  }
  return null;
}

/**
 * The line items of a table. Rows before the first amount are the header; a row without numbers below an
 * item continues its description.
 */
export function itemsOf(table: PageTable, roles: readonly Role[], firstKey: number): LineRow[] {
  const items: LineRow[] = [];
  const hasAmounts = roles.includes('amount');
  for (const cells of table.rows) {
    const row = emptyRow(firstKey + items.length);
    for (const [at, role] of roles.entries()) {
      const text = cells[at] ?? '';
      if (role === 'ignore' || text === '') continue;
      if (role === 'description' || role === 'unit') {
        row[role] = [row[role], text].filter(Boolean).join(' ');
        continue;
      }
      const [value, rest] = numberAndRest(text, table.mark);
      row[role] = value;
      if (role === 'quantity' && rest !== '' && !roles.includes('unit')) row.unit = rest;
    }
    const numbers = row.quantity || row.unitPrice || row.amount;
    const last = items.at(-1);
    if (!numbers) {
      if (last && row.description)
        last.description = [last.description, row.description].filter(Boolean).join('\n');
      continue;
    }
    if (items.length === 0 && hasAmounts && row.amount === '' && row.description === '') continue;
    items.push(row);
  }
  return items;
}

/** The number of a cell, and what follows it, such as a unit. A cell without a number has neither. */
function numberAndRest(text: string, mark: DecimalMark): [value: string, rest: string] {
  const whole = decimalOfCell(text, mark);
  if (whole !== null) return [whole, ''];
  const parts = /^(-?\d[\d.,]*)\s*(\D.*)$/.exec(text);
  const value = parts?.[1] ? decimalOfCell(parts[1], mark) : null;
  return value === null ? ['', ''] : [value, parts?.[2]?.trim() ?? ''];
}
