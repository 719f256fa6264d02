import { describe, expect, it } from 'vitest';
import { addressOf, type Hit, piecesOf } from './hits';

const shown = (text: string, marks: [number, number][]) =>
  piecesOf(
    text,
    marks.map(([from, to]) => ({ from, to })),
  )
    .map((piece) => (piece.found ? `[${piece.text}]` : piece.text))
    .join('');

describe('the pieces of a snippet', () => {
  it('are the found words and the texts between them', () => {
    expect(
      shown('Desk lamp, one desk', [
        [0, 4],
        [15, 19],
      ]),
    ).toBe('[Desk] lamp, one [desk]');
    expect(shown('Desk lamp', [])).toBe('Desk lamp');
    expect(shown('', [])).toBe('');
  });

  it('count as JavaScript does, also after characters of two code units', () => {
    const text = '🧾 增值税 发票';
    const from = text.indexOf('发票');
    expect(shown(text, [[from, from + 2]])).toBe('🧾 增值税 [发票]');
  });

  it('keep the whole text when marks overlap, are empty or lie outside', () => {
    expect(
      shown('abcdef', [
        [0, 3],
        [1, 4],
        [4, 4],
        [5, 2],
        [5, 99],
        [-2, 1],
      ]),
    ).toBe('[abc]def');
  });

  it('keep markup as text', () => {
    const text = '<img src=x onerror=alert(1)> acme';
    expect(shown(text, [[29, 33]])).toBe('<img src=x onerror=alert(1)> [acme]');
  });
});

describe('the address of a hit', () => {
  const page = (number: number) => ({ kind: 'PAGE', field: '', page: { number } });
  const hit = (snippets: unknown[]) => ({ case: { id: 'c1' }, snippets }) as Hit;
  const field = { kind: 'FIELD', field: 'vendor', page: null };

  it('opens the first page with found words', () => {
    expect(addressOf(hit([field, page(3), page(5)]), 'desk').search).toEqual({
      find: 'desk',
      page: 3,
    });
  });

  it('opens only the case when the words are on no page', () => {
    expect(addressOf(hit([field]), 'acme').search).toEqual({});
  });

  it('opens the page of a snippet', () => {
    const found = hit([page(3), page(5), field]);
    expect(addressOf(found, 'desk', found.snippets[1]).search).toEqual({ find: 'desk', page: 5 });
    expect(addressOf(found, 'desk', found.snippets[2]).search).toEqual({});
  });
});
