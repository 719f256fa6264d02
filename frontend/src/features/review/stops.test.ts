import { describe, expect, it } from 'vitest';
import { besideStop, firstStop, nextStop, type Stop } from './stops';

const stops = (needing: string): Stop[] =>
  [...'abcde'].map((name) => ({ name, needsPerson: needing.includes(name) }));

/** Walks with Tab until the form is left. */
function walk(needing: string, from: string): string {
  const visited = new Set<string>([from]);
  let way = from;
  for (let at: string | null = from; at !== null; ) {
    at = nextStop(stops(needing), at, visited);
    if (at) {
      visited.add(at);
      way += at;
    }
  }
  return way;
}

describe('Tab among the fields', () => {
  it('begins at the first that needs a person', () => {
    expect(firstStop(stops('cd'))).toBe('c');
    expect(firstStop(stops(''))).toBe('a');
    expect(firstStop([])).toBeNull();
  });

  it.each([
    ['bd', 'b', 'bdace'],
    ['bd', 'd', 'dbace'],
    ['', 'a', 'abcde'],
    ['abcde', 'c', 'cdeab'],
    ['e', 'a', 'aebcd'],
  ])('needing %j from %s it reaches every field once: %s', (needing, from, way) => {
    expect(walk(needing, from)).toBe(way);
  });

  it('goes to a field that has come to need a person', () => {
    expect(nextStop(stops('e'), 'b', new Set(['a', 'b']))).toBe('e');
  });

  it('goes up and down in the order that is seen', () => {
    expect(besideStop(stops(''), 'b', 1)).toBe('c');
    expect(besideStop(stops(''), 'a', -1)).toBeNull();
    expect(besideStop(stops(''), 'e', 1)).toBeNull();
  });
});
