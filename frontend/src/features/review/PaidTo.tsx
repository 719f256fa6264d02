// The payee and the account of the payment order, which are paid whatever the document states.
import { useTranslation } from 'react-i18next';
import { groupedAccount } from '../../lib/value-text';
import type { ReviewCase } from './review-facts';

export function PaidTo({ order }: Pick<ReviewCase, 'order'>) {
  const { t } = useTranslation();
  if (!order) return null;
  return (
    <span data-paid-to>
      {t('order.paidTo', { payee: order.payee })}{' '}
      <span className="cs-mono">{groupedAccount(order.account)}</span>
    </span>
  );
}
