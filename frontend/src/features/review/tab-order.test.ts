import { describe, expect, it } from 'vitest';
import { adjacentField, firstField, nextField, type TabStop } from './tab-order';

const fields = (needing: string): TabStop[] =>
  [...'abcde'].map((name) => ({ name, needsPerson: needing.includes(name) }));

/** Follows Tab until it leaves the form. */
function walk(needing: string, from: string): string {
  const visited = new Set<string>([from]);
  let order = from;
  for (let at: string | null = from; at !== null; ) {
    at = nextField(fields(needing), at, visited);
    if (at) {
      visited.add(at);
      order += at;
    }
  }
  return order;
}

describe('Tab among the fields', () => {
  it('starts at the first field that needs a person', () => {
    expect(firstField(fields('cd'))).toBe('c');
    expect(firstField(fields(''))).toBe('a');
    expect(firstField([])).toBeNull();
  });

  it.each([
    ['bd', 'b', 'bdace'],
    ['bd', 'd', 'dbace'],
    ['', 'a', 'abcde'],
    ['abcde', 'c', 'cdeab'],
    ['e', 'a', 'aebcd'],
  ])('needing %j from %s it reaches every field once: %s', (needing, from, order) => {
    expect(walk(needing, from)).toBe(order);
  });

  it('moves to a field that needs a person by now', () => {
    expect(nextField(fields('e'), 'b', new Set(['a', 'b']))).toBe('e');
  });

  it('moves up and down in display order', () => {
    expect(adjacentField(fields(''), 'b', 1)).toBe('c');
    expect(adjacentField(fields(''), 'a', -1)).toBeNull();
    expect(adjacentField(fields(''), 'e', 1)).toBeNull();
  });
});
