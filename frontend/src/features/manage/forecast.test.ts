import { expect, it } from 'vitest';
import { sums } from './forecast';

it('adds what is overdue to what will be, over the queues', () => {
  const queue = (overdue: number, ...counts: number[]) => ({
    overdue,
    forecast: { breaches: counts.map((count) => ({ count })) },
  });
  expect(sums([queue(1, 0, 2, 5), queue(0, 1, 1, 1)])).toEqual({ overdue: 1, by: [2, 4, 7] });
  expect(sums([{ overdue: 3, forecast: null }])).toEqual({ overdue: 3, by: [3, 3, 3] });
  expect(sums([])).toEqual({ overdue: 0, by: [0, 0, 0] });
});
