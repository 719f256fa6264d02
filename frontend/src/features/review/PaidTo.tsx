// The payee and the account of the payment order, which are paid whatever the document states.
import { useTranslation } from 'react-i18next';
import { groupedAccount } from '../../lib/value-text';
import type { ReviewCase } from './review-facts';

interface PaidToProps extends Pick<ReviewCase, 'order'> {
  /** The title above; a payee of this name is not repeated. */
  title?: string;
}

export function PaidTo({ order, title }: PaidToProps) {
  const { t } = useTranslation();
  if (!order) return null;
  const named = order.payee === title;
  return (
    <span data-paid-to>
      {named ? t('order.paidToAccount') : t('order.paidTo', { payee: order.payee })}{' '}
      <span className="cs-mono">{groupedAccount(order.account)}</span>
    </span>
  );
}
