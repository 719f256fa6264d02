import { expect, test } from 'vitest';
import en from '../../i18n/en/review.json';
import enUI from '../../i18n/en/ui.json';
import zh from '../../i18n/zh/review.json';
import zhUI from '../../i18n/zh/ui.json';
import { endsText } from './committee-text';

const textOf = (committee: Record<string, string>, decideBy: string) =>
  committee[endsText(decideBy).split('.').at(-1) ?? ''] ?? '';

test('a committee names its time limit, and the votes it needs where the votes cast can decide then', () => {
  for (const { committee } of [en, zh])
    for (const decideBy of ['majority', 'unanimous', 'count', 'first_rejection']) {
      expect(textOf(committee, decideBy)).toContain('{{time}}');
      expect(textOf(committee, decideBy).includes('{{quorum}}')).toBe(
        decideBy === 'majority' || decideBy === 'unanimous',
      );
    }
});

test('a majority says what a tie does, before and at the time limit', () => {
  expect(en.committee.majority).toContain('a tie rejects unless a chair approves');
  expect(textOf(en.committee, 'majority')).toContain('with a tie that no chair broke');
  expect(textOf(en.committee, 'unanimous')).not.toContain('tie');
});

test('the time limit of a step says that the review ends undecided too', () => {
  expect(enUI.deadline.end).toBe('Ends in {{time}}, decided or not');
  expect(zhUI.deadline.end).toContain('{{time}}');
});
