import { describe, expect, it } from 'vitest';
import { scaleOf, stepped } from './page-view';

const page = { width: 1000, height: 2000 };
const viewport = { width: 500, height: 800 };

describe('the view of a page', () => {
  it.each([
    ['width', 0, 0.5],
    ['page', 0, 0.4],
    ['width', 90, 0.25],
    ['page', 270, 0.25],
    [2, 180, 1],
  ] as const)('%s turned by %d is drawn at %d', (zoom, turn, scale) => {
    expect(scaleOf(zoom, page, turn, viewport)).toBeCloseTo(scale);
  });

  it('zooms in steps within limits', () => {
    expect(stepped('width', 1)).toBe(1.25);
    expect(stepped('width', -1)).toBe(0.75);
    expect(stepped(4, 1)).toBe(4);
    expect(stepped(0.5, -1)).toBe(0.5);
    expect(stepped('page', 1)).toBe(0.75);
  });
});
