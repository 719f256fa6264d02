import { expect, test } from 'vitest';
import {
  axisOf,
  durationText,
  filterOf,
  heatOf,
  lastDays,
  periodOf,
  presetOf,
  shareText,
} from './period';

test('the last days include today, also over the end of summer time', () => {
  expect(lastDays(7, '2026-03-30')).toEqual({ from: '2026-03-24', to: '2026-03-30' });
  expect(lastDays(30, '2026-10-31')).toEqual({ from: '2026-10-02', to: '2026-10-31' });
});

test('a period of an address is checked before it is sent', () => {
  const today = '2026-11-28';
  expect(periodOf({}, today, 'UTC')).toEqual({ from: '2026-10-30', to: today, zone: 'UTC' });
  expect(periodOf({ from: '2026-12-01' }, today, 'UTC')).toBeNull();
  expect(periodOf({ from: '2025-11-27' }, today, 'UTC')).toBeNull();
  expect(periodOf({ from: '2025-11-28' }, today, 'UTC')).not.toBeNull();
  expect(periodOf({ from: 'yesterday' }, today, 'UTC')).toBeNull();
  expect(presetOf(periodOf({}, today, 'UTC'), today)).toBe(30);
  expect(presetOf(periodOf({ from: '2026-11-01' }, today, 'UTC'), today)).toBeNull();
});

test('empty filters are null', () => {
  expect(filterOf({ queue: 'L1' })).toEqual({ queue: 'L1', process: null, personId: null });
});

test('durations have at most two units', () => {
  expect(durationText(0, 'en')).toBe('0 sec');
  expect(durationText(59.6, 'en')).toBe('1 min');
  expect(durationText(12_000, 'en')).toBe('3 hr 20 min');
  expect(durationText(90_000, 'en')).toBe('1 day 1 hr');
  expect(durationText(86_460, 'en')).toBe('1 day');
});

test('shares without a whole are unknown', () => {
  expect(shareText(1, 0, 'en')).toBeNull();
  expect(shareText(1, 8, 'en')).toBe('12.5%');
});

test('shades grow with the time', () => {
  expect([0, 1, 10, 30, 60, 100].map((time) => heatOf(time, 100))).toEqual([0, 1, 2, 3, 4, 4]);
  expect(heatOf(5, 0)).toBe(0);
});

test('measures waiting in the largest unit that has several marks', () => {
  expect(axisOf(0).unit).toBe('minutes');
  expect(axisOf(90).unit).toBe('minutes');
  expect(axisOf(7_200)).toEqual({ unit: 'hours', seconds: 3_600 });
  expect(axisOf(10 * 86_400).unit).toBe('days');
});
