import { describe, expect, it } from 'vitest';
import { itemsOf, type PageTable, tableOf } from './lines-from-page';

/** Words of 10 pixels a letter, at the given places of each row. */
function page(rows: readonly (readonly [x: number, text: string][])[]) {
  return rows.flatMap((row, at) =>
    row.flatMap(([x, text]) => {
      let left = x;
      return text.split(' ').map((word) => {
        const box = { x: left, y: at * 30, w: word.length * 10, h: 20 };
        left += box.w + 8;
        return { text: word, box };
      });
    }),
  );
}

const items = (table: PageTable | null) =>
  table ? itemsOf(table, table.roles, 0).map(({ key: _, from: __, ...row }) => row) : [];

describe('tableOf', () => {
  it('finds rows, columns and what they are', () => {
    const table = tableOf(
      page([
        [
          [0, 'Pos'],
          [80, 'Bezeichnung'],
          [400, 'Menge'],
          [500, 'Preis'],
          [600, 'Betrag'],
        ],
        [
          [0, '1'],
          [80, 'Schrauben M6'],
          [430, '2'],
          [500, '50,00'],
          [600, '100,00'],
        ],
        [[80, 'verzinkt, mit Mutter']],
        [
          [0, '2'],
          [80, 'Fracht nach Wien'],
          [430, '1'],
          [490, '1.250'],
          [590, '1.250,00'],
        ],
      ]),
    );
    expect(table?.roles).toEqual(['ignore', 'description', 'quantity', 'unitPrice', 'amount']);
    expect(items(table)).toMatchObject([
      {
        description: 'Schrauben M6\nverzinkt, mit Mutter',
        quantity: '2',
        unitPrice: '50.00',
        amount: '100.00',
      },
      { description: 'Fracht nach Wien', quantity: '1', unitPrice: '1250', amount: '1250.00' },
    ]);
  });

  it('reads a receipt with amounts alone, a unit beside its number, and a percent sign', () => {
    const receipt = tableOf(
      page([
        [
          [0, 'Milk'],
          [300, '1.20'],
        ],
        [
          [0, 'Deposit returned'],
          [300, '-0.25'],
        ],
      ]),
    );
    expect(items(receipt)).toMatchObject([
      { description: 'Milk', amount: '1.20' },
      { description: 'Deposit returned', amount: '-0.25' },
    ]);
    const units = tableOf(
      page([
        [
          [0, 'Cable'],
          [200, '2 pcs'],
          [300, '10.00'],
          [400, '20%'],
          [500, '€20.00'],
        ],
      ]),
    );
    expect(units?.roles).toEqual(['description', 'quantity', 'unitPrice', 'taxRate', 'amount']);
  });

  it('has nothing without words, and no number in a text', () => {
    expect(tableOf([])).toBeNull();
    const table = tableOf(page([[[0, 'Thank you']]]));
    expect(items(table)).toEqual([]);
  });
});
