import { expect, it } from 'vitest';
import { claimsDueSoon, totalsOf } from './forecast-totals';

it('adds present and expected breaches over all queues', () => {
  const queue = (overdue: number, ...counts: number[]) => ({
    overdue,
    forecast: { breaches: counts.map((count) => ({ count })) },
  });
  expect(totalsOf([queue(1, 0, 2, 5), queue(0, 1, 1, 1)])).toEqual({
    overdue: 1,
    byHorizon: [2, 4, 7],
  });
  expect(totalsOf([{ overdue: 3, forecast: null }])).toEqual({ overdue: 3, byHorizon: [3, 3, 3] });
  expect(totalsOf([])).toEqual({ overdue: 0, byHorizon: [0, 0, 0] });
});

it('counts the claims of a queue that are due first', () => {
  const forecast = { breaches: [{ claims: 53 }, { claims: 60 }] };
  const queues = [
    { name: 'L1', forecast },
    { name: 'L2', forecast: null },
  ];
  expect(claimsDueSoon(queues, 'L1')).toBe(53);
  expect(claimsDueSoon(queues, 'L2')).toBe(0);
  expect(claimsDueSoon(undefined, 'L1')).toBe(0);
});
