// The amount that is still due by the document, if it is not the total.
import { useTranslation } from 'react-i18next';
import { groupedAmount } from '../../lib/money';
import { documentCurrency, dueBesideTotal, type ReviewCase } from './review-facts';

export function AmountDue({ reviewCase }: { reviewCase: ReviewCase }) {
  const { t, i18n } = useTranslation();
  const due = dueBesideTotal(reviewCase);
  if (due === null) return null;
  const currency = documentCurrency(reviewCase);
  const amount = `${groupedAmount(due, i18n.language)} ${currency ?? ''}`.trim();
  return (
    <span data-due style={{ color: 'var(--cs-warn)' }}>
      {t('review.due', { amount })}
    </span>
  );
}
