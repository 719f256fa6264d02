// The sentence of a notice. That about an ended case has its outcome, vendor and amount.
import type { TFunction } from 'i18next';
import type { NoticeLineFragment } from '../../graphql/generated/graphql';
import { queueLabel } from '../../lib/labels';
import { groupedAmount } from '../../lib/money';

type Translate = TFunction<'translation'>;

export function noticeText(t: Translate, language: string, notice: NoticeLineFragment): string {
  const { kind, outcome, reference } = notice;
  if (outcome === 'ARCHIVED' || outcome === 'REJECTED') {
    const { counterparty, amount } = notice;
    const details = [
      counterparty,
      amount && `${groupedAmount(amount.amount, language)} ${amount.currency}`,
    ].filter(Boolean);
    const ended = t(`notices.outcomes.${outcome}`, { reference });
    if (details.length === 0) return ended;
    const list = details.join(t('caseLabels.next.comma'));
    return `${ended} ${t('notices.details', { details: list })}`;
  }
  if (notice.controlKind) {
    const what = t(`notices.controls.${notice.controlKind}`);
    const { person, proposalKey: subject } = notice;
    return t(subject ? 'notices.controlOf' : 'notices.control', { person, what, subject });
  }
  const answer = kind === 'REMINDER' && !notice.reviewId;
  return t(answer ? 'notices.answer' : `notices.lines.${kind}`, {
    reference,
    queue: notice.queue && queueLabel(t, notice.queue),
    person: notice.person,
    connector: notice.connector,
    proposal: notice.proposalKey,
    version: notice.proposalVersion,
  });
}
