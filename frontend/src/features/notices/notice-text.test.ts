import i18n from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import type { NoticeLineFragment } from '../../graphql/generated/graphql';
import { messages as en } from '../../i18n/en';
import { messages as zh } from '../../i18n/zh';
import { noticeText } from './notice-text';

beforeAll(() =>
  i18n.init({
    lng: 'en',
    fallbackLng: false,
    resources: { en: { translation: en }, zh: { translation: zh } },
    interpolation: { escapeValue: false },
  }),
);

const notice = (more: object) =>
  ({ kind: 'FINISHED', reference: 'CS-1', ...more }) as NoticeLineFragment;

const ended = {
  outcome: 'ARCHIVED',
  counterparty: 'Quick Print',
  amount: { amount: '1420.00', currency: 'GBP' },
};

it('says how a case ended, with what is known of it', () => {
  const text = (more: object, language = 'en') =>
    noticeText(i18n.getFixedT(language), language, notice(more));
  expect(text(ended)).toBe('CS-1 was approved and archived (Quick Print, 1,420.00 GBP)');
  expect(text({ ...ended, outcome: 'REJECTED', amount: null })).toBe(
    'CS-1 was rejected (Quick Print)',
  );
  expect(text({ outcome: 'REJECTED', counterparty: null, amount: null }, 'zh')).toBe(
    'CS-1 已被拒绝',
  );
  expect(text({ outcome: null })).toBe('CS-1 is finished');
});

it('names who proposes which version', () => {
  const proposal = notice({
    kind: 'PROPOSAL',
    person: 'Ada',
    proposalKey: 'expense',
    proposalVersion: 2,
  });
  expect(noticeText(i18n.getFixedT('en'), 'en', proposal)).toBe(
    'Ada proposes version 2 of expense',
  );
});

it('names what a change of control data is about, if it has a name', () => {
  const change = (more: object, language = 'en') =>
    noticeText(
      i18n.getFixedT(language),
      language,
      notice({ kind: 'PROPOSAL', person: 'Ada', proposalKey: null, ...more }),
    );
  expect(change({ controlKind: 'LIMIT', proposalKey: 'reviewer_l1' })).toBe(
    'Ada proposes a change to confirm: limit of a role (reviewer_l1)',
  );
  expect(change({ controlKind: 'PERSON' })).toBe(
    'Ada proposes a change to confirm: account of a person',
  );
  expect(change({ controlKind: 'QUEUE', proposalKey: 'L1' }, 'zh')).toBe(
    'Ada 提议了待确认的更改：队列（L1）',
  );
});
