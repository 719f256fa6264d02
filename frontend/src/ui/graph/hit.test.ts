import { expect, it } from 'vitest';
import type { Layout } from './drawing';
import { lineAt, neighbour, nodeAt } from './hit';

/** Two nodes in a row, one below; an edge with a bend from a to c, one from b to c with a label. */
const layout: Layout = {
  width: 500,
  height: 300,
  frames: new Map(),
  nodes: new Map([
    ['a', { x: 0, y: 0, width: 100, height: 40 }],
    ['b', { x: 200, y: 4, width: 100, height: 40 }],
    ['c', { x: 100, y: 200, width: 100, height: 40 }],
  ]),
  lines: new Map([
    [
      'a/next',
      {
        points: [
          { x: 50, y: 40 },
          { x: 50, y: 120 },
          { x: 140, y: 120 },
          { x: 140, y: 200 },
        ],
      },
    ],
    [
      'b/next',
      {
        points: [
          { x: 250, y: 44 },
          { x: 160, y: 200 },
        ],
        label: { x: 260, y: 80, width: 60, height: 18 },
      },
    ],
  ]),
};

const all = () => true;

it('finds the node at a point and around it', () => {
  expect(nodeAt(layout, { x: 50, y: 20 })).toBe('a');
  expect(nodeAt(layout, { x: 105, y: 45 })).toBe('a');
  expect(nodeAt(layout, { x: 150, y: 20 })).toBe(null);
});

it('finds the nearest edge that may be chosen, by its bends and its label', () => {
  expect(lineAt(layout, { x: 90, y: 128 }, all)).toBe('a/next');
  expect(lineAt(layout, { x: 148, y: 195 }, all)).toBe('a/next');
  expect(lineAt(layout, { x: 148, y: 195 }, (id) => id === 'b/next')).toBe('b/next');
  expect(lineAt(layout, { x: 300, y: 90 }, all)).toBe('b/next');
  expect(lineAt(layout, { x: 450, y: 150 }, all)).toBe(null);
});

it('finds the next node in the direction of an arrow key', () => {
  expect(neighbour(layout, 'a', 'ArrowRight', all)).toBe('b');
  expect(neighbour(layout, 'a', 'ArrowDown', all)).toBe('c');
  expect(neighbour(layout, 'c', 'ArrowUp', (id) => id !== 'a')).toBe('b');
  expect(neighbour(layout, 'a', 'ArrowUp', all)).toBe(null);
});
