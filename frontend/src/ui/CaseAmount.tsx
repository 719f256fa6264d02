// The amount of a case, with the amount at risk and the fields with different values.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { fieldLabel } from '../lib/labels';
import { MoneyText } from './values';

type Money = { amount: string; currency: string } | null;

interface Amounts {
  amount: Money;
  amountAtRisk: Money;
}

/**
 * "717.97 EUR · at risk 1,200,000.00 USD"; `stacked` puts the amount at risk on a line of its own.
 */
export function CaseAmount({
  amounts,
  stacked,
}: {
  amounts: Amounts | null | undefined;
  stacked?: boolean;
}) {
  const { t } = useTranslation();
  if (!amounts?.amountAtRisk) return <MoneyText money={amounts?.amount} />;
  const atRisk = (
    <>
      {t('differences.atRisk')} <MoneyText money={amounts.amountAtRisk} />
    </>
  );
  return (
    <>
      <MoneyText money={amounts.amount} />
      {stacked ? (
        <Text size="xs" c="var(--cs-warn)">
          {atRisk}
        </Text>
      ) : (
        <>
          {' · '}
          <span style={{ color: 'var(--cs-warn)' }}>{atRisk}</span>
        </>
      )}
    </>
  );
}

/** The names of the fields with different values, in one short line; null if there are none. */
export function DifferingFields({ names }: { names: readonly string[] | undefined }) {
  const { t } = useTranslation();
  if (!names || names.length === 0) return null;
  const list = names.map((name) => fieldLabel(t, name)).join(t('caseLabels.next.comma'));
  return (
    <Text size="xs" c="var(--cs-warn)" className="cs-lines2">
      {t('differences.fields', { names: list })}
    </Text>
  );
}
