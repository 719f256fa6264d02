import { describe, expect, it } from 'vitest';
import { type DiffLine, diffOf, hunksOf } from './diff';

const marks = { same: ' ', added: '+', removed: '-' };
const rendered = (lines: readonly (DiffLine | null)[]) =>
  lines.map((line) => (line ? `${marks[line.kind]}${line.text}` : '…'));

describe('the diff of two texts', () => {
  it('reports added, removed and equal lines', () => {
    expect(rendered(diffOf('a\nb\nc\nd', 'a\nc\nx\nd'))).toEqual([' a', '-b', ' c', '+x', ' d']);
    expect(rendered(diffOf('a\nb', 'a\nb'))).toEqual([' a', ' b']);
    expect(rendered(diffOf('a', 'b'))).toEqual(['-a', '+b']);
  });

  it('reproduces both texts', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 300; round++) {
      const text = () => Array.from({ length: random(9) + 1 }, () => 'abc'[random(3)]).join('\n');
      const [before, after] = [text(), text()];
      const lines = diffOf(before, after);
      const without = (kind: DiffLine['kind']) => lines.filter((line) => line.kind !== kind);
      expect(without('added').map((line) => line.text)).toEqual(before.split('\n'));
      expect(without('removed').map((line) => line.text)).toEqual(after.split('\n'));
      expect(without('removed').map((line) => line.number)).toEqual(
        after.split('\n').map((_, index) => index + 1),
      );
    }
  });

  it('is shown with some context', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n');
    expect(rendered(hunksOf(diffOf(before, before.replace('5', 'five')), 1))).toEqual([
      '…',
      ' 4',
      '-5',
      '+five',
      ' 6',
      '…',
    ]);
  });
});
