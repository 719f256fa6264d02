// The rows of the form that changes line items: what a person types, as plain decimals, and their sums.
// The server judges every value again.

export type Column = 'description' | 'quantity' | 'unit' | 'unitPrice' | 'taxRate' | 'amount';

export const columns = [
  'description',
  'quantity',
  'unit',
  'unitPrice',
  'taxRate',
  'amount',
] as const satisfies readonly Column[];

export const isNumeric = (column: Column) => column !== 'description' && column !== 'unit';

export interface LineRow extends Record<Column, string> {
  /** Identifies the row while the form is open. */
  key: number;
  /** The index of the present item that it replaces; null for a new row. */
  from: number | null;
  /** What the row keeps of that item; empty means none. */
  priceQuantity: string;
  allowance: string;
}

/** An item as the server states it. */
export interface StoredItem {
  description: string;
  quantity: string;
  unit: string;
  unitPrice: string;
  priceQuantity: string;
  taxRate: string;
  amount: { amount: string } | null;
  allowance: { amount: string } | null;
}

export const rowsOf = (items: readonly StoredItem[]): LineRow[] =>
  items.map((item, index) => ({
    key: index,
    from: index,
    description: item.description,
    quantity: item.quantity,
    unit: item.unit,
    unitPrice: item.unitPrice,
    priceQuantity: item.priceQuantity,
    taxRate: item.taxRate,
    amount: item.amount?.amount ?? '',
    allowance: item.allowance?.amount ?? '',
  }));

export const emptyRow = (key: number): LineRow => ({
  key,
  from: null,
  description: '',
  quantity: '',
  unit: '',
  unitPrice: '',
  priceQuantity: '',
  taxRate: '',
  amount: '',
  allowance: '',
});

export const isEmptyRow = (row: LineRow) =>
  row.description.trim() === '' && !row.quantity && !row.unitPrice && !row.amount;

export type NumberFault = 'number' | 'ambiguous' | 'digits';

/** The mark before the decimals of a document's numbers; null if its numbers do not show it. */
export type DecimalMark = '.' | ',' | null;

const decimal = /^-?\d{1,15}(\.\d{1,10})?$/;

/**
 * The plain decimal that a text means: "1.234,50" -> "1234.50". A single mark before three digits is
 * ambiguous, unless the mark of the document is known.
 */
export function plainNumber(
  text: string,
  mark: DecimalMark = null,
): { value: string } | { fault: NumberFault } {
  let bare = text.replace(/[\s\u00a0\u202f'’]/g, '').replace(/^[\u2212\u2013]/, '-');
  if (bare === '') return { value: '' };
  if (/^\d.*-$/.test(bare)) bare = `-${bare.slice(0, -1)}`;
  if (!/^-?\d[\d.,]*$/.test(bare)) return { fault: 'number' };
  const marks = bare.replace(/[^.,]/g, '');
  const last = bare.slice(-1) === '.' || bare.slice(-1) === ',' ? null : marks.slice(-1);
  if (last === null) return { fault: 'number' };
  if (marks === '') return checked(bare);
  const at = bare.lastIndexOf(last);
  const [head, tail] = [bare.slice(0, at), bare.slice(at + 1)];
  const others = marks.slice(0, -1);
  if (others.includes(last)) {
    // One mark several times separates thousands.
    if (new Set(marks).size > 1 || !/^-?\d{1,3}([.,]\d{3})+$/.test(bare))
      return { fault: 'number' };
    return checked(bare.replace(/[.,]/g, ''));
  }
  if (others !== '') {
    if (!/^-?\d{1,3}([.,]\d{2,3})*$/.test(head)) return { fault: 'number' };
    return checked(`${head.replace(/[.,]/g, '')}.${tail}`);
  }
  const thousands = tail.length === 3 && /^-?[1-9]\d{0,2}$/.test(head);
  if (thousands && mark === null) return { fault: 'ambiguous' };
  if (thousands && mark !== last) return checked(head + tail);
  return checked(`${head}.${tail}`);
}

const checked = (text: string): { value: string } | { fault: NumberFault } =>
  decimal.test(text) ? { value: text } : { fault: 'number' };

/** What is wrong with a value of a row; null if nothing. The digits are those of the currency. */
export function faultOf(column: Column, value: string, digits: number): NumberFault | null {
  if (!isNumeric(column) || value === '') return null;
  if (!decimal.test(value)) return 'number';
  const fraction = (value.split('.')[1] ?? '').replace(/0+$/, '');
  return column === 'amount' && fraction.length > digits ? 'digits' : null;
}

/** The sum of plain decimals with the given decimal places; null if one is empty or no number. */
export function sumOf(amounts: readonly string[], digits: number): string | null {
  let sum = 0n;
  for (const amount of amounts) {
    if (!decimal.test(amount)) return null;
    const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
    const minor = BigInt(whole + fraction.padEnd(digits, '0').slice(0, digits));
    sum += amount.startsWith('-') ? -minor : minor;
  }
  return amounts.length === 0 ? null : decimalOf(sum, digits);
}

function decimalOf(minor: bigint, digits: number): string {
  const sign = minor < 0n ? '-' : '';
  const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0');
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Whether both decimals differ by at most five of the smallest units, as cash rounding can. */
export function equalsAmount(sum: string, amount: string, digits: number): boolean {
  const difference = sumOf([sum, amount.startsWith('-') ? amount.slice(1) : `-${amount}`], digits);
  return difference !== null && Math.abs(Number(difference)) * 10 ** digits < 5.5;
}

/** Whether quantity times price less the allowance is about the amount; null if a number is missing. */
export function addsUp(row: LineRow, digits: number): boolean | null {
  if (row.quantity === '' || row.unitPrice === '' || row.amount === '') return null;
  const [quantity, price, amount] = [row.quantity, row.unitPrice, row.amount].map(Number);
  if (quantity === undefined || price === undefined || amount === undefined) return null;
  if (![quantity, price, amount].every(Number.isFinite)) return null;
  const due = (quantity * price) / (Number(row.priceQuantity) || 1) - Number(row.allowance || 0);
  const unit = 10 ** -digits;
  const decimals = row.unitPrice.split('.')[1]?.length ?? 0;
  const rounding = Math.min(Math.abs(quantity) / (2 * 10 ** decimals), Math.abs(amount) / 1000);
  return Math.abs(due - amount) <= unit + rounding + 1e-9;
}

const statesAs = (row: LineRow, stored: LineRow | undefined) =>
  stored !== undefined && columns.every((column) => row[column] === stored[column]);

/**
 * The rows as the command takes them, without empty ones. Of a row that is as it was stored only that is
 * sent, because thousands of rows would be too long for a request.
 */
export const inputOf = (rows: readonly LineRow[], stored: readonly LineRow[]) =>
  rows
    .filter((row) => !isEmptyRow(row))
    .map((row) => {
      const { from, description, quantity, unit, unitPrice, taxRate, amount } = row;
      if (from !== null && statesAs(row, stored[from])) return { from, kept: true };
      return { from, description, quantity, unit, unitPrice, taxRate, amount };
    });

/** The number of the first row that cannot be saved, from 1, and why; null if all can. */
export function firstFault(
  rows: readonly LineRow[],
  digits: number,
): { row: number; column: Column; fault: NumberFault } | null {
  for (const [index, row] of rows.entries()) {
    for (const column of columns) {
      const fault = faultOf(column, row[column], digits);
      if (fault) return { row: index + 1, column, fault };
    }
  }
  return null;
}
