import { expect, it } from 'vitest';
import { emptySearch, exportFilters, filterOf, isAmount } from './audit-search';

it('selects everything without a filter', () => {
  expect(filterOf(emptySearch)).toEqual({
    kind: 'EVENT',
    personId: null,
    types: null,
    from: null,
    to: null,
    minBaseMinor: null,
    maxBaseMinor: null,
    rule: null,
    outcome: null,
  });
  expect(Object.values(exportFilters(emptySearch, null)).filter(Boolean)).toEqual([]);
});

it('converts amounts to minor units and includes the last day', () => {
  const form = {
    ...emptySearch,
    min: '1200000',
    max: ' 0.5 ',
    from: '2026-11-01',
    to: '2026-11-01',
  };
  const filter = filterOf(form);
  expect([filter.minBaseMinor, filter.maxBaseMinor]).toEqual(['120000000', '50']);
  expect(Date.parse(filter.to ?? '') - Date.parse(filter.from ?? '')).toBe(86_400_000);
  expect(['', '1', '1.25'].every(isAmount)).toBe(true);
  expect(['-1', '1,5', 'x', '1.234'].some(isAmount)).toBe(false);
});
