import i18n from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { messages as en } from '../../i18n/en';
import { conditionWords } from './condition-words';

beforeAll(() =>
  i18n.init({
    lng: 'en',
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false },
  }),
);

describe('a condition in words', () => {
  it.each([
    ['review.queue != "L2" && review.queue != "AML"', 'queue is not L2 and queue is not AML'],
    ['review.country in ["DE", "JP"]', 'country is one of DE, JP'],
    [
      'review.base_minor <= 5000 || review.level > 1',
      'amount is at most 50.00 USD or level is above 1',
    ],
    ['review.country == "a && b"', 'country is a && b'],
    ['review.queue in user.queues', 'queue is one of the person’s queues'],
  ])('is a sentence: %s', (condition, words) => {
    expect(conditionWords(i18n.getFixedT('en'), 'en', condition)).toBe(words);
  });
  it.each([
    'review.level > 1 && review.level < 3 || review.queue == "L2"',
    '!(review.queue == "L2")',
    '"L2" == review.queue',
    '(review.level > 1)',
  ])('stays its text: %s', (condition) => {
    expect(conditionWords(i18n.getFixedT('en'), 'en', condition)).toBe(condition);
  });
});
