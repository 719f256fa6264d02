// All payment orders on one document and their sum.
import { Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { groupedAmount } from '../../lib/money';
import { Badge } from '../StatusBadge';
import { Notice } from '../states';
import { MoneyText } from '../values';
import classes from './order.module.css';

interface Money {
  amount: string;
  currency: string;
}

export interface OrdersOnEvidence {
  others: readonly { reference: string; amount: Money; passed: boolean }[];
  sum: Money;
  supported: Money | null;
  exceeded: boolean;
}

/** Shown only if the document is the evidence of other orders too. */
export function OrderEvidence({ orders }: { orders: OrdersOnEvidence }) {
  const { t, i18n } = useTranslation();
  const { others, sum, supported, exceeded } = orders;
  const text = (money: Money) => `${groupedAmount(money.amount, i18n.language)} ${money.currency}`;
  if (others.length === 0) return null;
  return (
    <div className={classes.sums}>
      <Title order={3} size="h5" id="order-evidence">
        {t('order.evidence.title')}
      </Title>
      <ul className={classes.plain} aria-labelledby="order-evidence">
        {others.map((other) => (
          <li key={other.reference} className={classes.other}>
            <Text size="sm" span>
              {other.reference}
            </Text>
            <Text size="sm" span fw={600}>
              <MoneyText money={other.amount} />
            </Text>
            <Badge tone={other.passed ? 'good' : 'calm'}>
              {t(other.passed ? 'order.evidence.passed' : 'order.evidence.waiting')}
            </Badge>
          </li>
        ))}
      </ul>
      <Text size="sm">
        {t('order.evidence.sum', { sum: text(sum) })}{' '}
        {supported && t('order.evidence.supported', { amount: text(supported) })}
      </Text>
      {exceeded && supported && (
        <Notice tone="bad" icon="alert" live>
          <Text size="sm">{t('order.evidence.exceeded', { amount: text(supported) })}</Text>
        </Notice>
      )}
    </div>
  );
}
