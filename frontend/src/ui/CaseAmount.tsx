// The amount of a case, with the document's amount if an order pays another one, the amount at risk,
// and the fields with different values.
import { useTranslation } from 'react-i18next';
import { fieldLabel } from '../lib/labels';
import { differingAmount, type OrderComparison } from '../lib/order';
import { MoneyText } from './values';

type Money = { amount: string; currency: string } | null;

interface Amounts {
  hasAmount: boolean;
  amount: Money;
  amountAtRisk: Money;
  status: string;
  order: { comparison: readonly OrderComparison[] } | null;
}

/**
 * "717.97 EUR · at risk 1,200,000.00 USD", or "order 1,200,000.00 USD · document 717.97 EUR";
 * `stacked` puts each amount on a line of its own.
 */
export function CaseAmount({
  amounts,
  stacked,
}: {
  amounts: Amounts | null | undefined;
  stacked?: boolean;
}) {
  const { t } = useTranslation();
  if (!amounts) return <MoneyText money={null} />;
  if (!amounts.hasAmount && !amounts.amount) return <span>{t('ui.noAmount')}</span>;
  const { amount, amountAtRisk } = amounts;
  const differing = differingAmount(amounts.order, amounts.status);
  const shown = differing?.amounts ?? [];
  const risky =
    amountAtRisk &&
    !shown.some(
      (one) => one.amount === amountAtRisk.amount && one.currency === amountAtRisk.currency,
    );
  return (
    <>
      {differing && `${t('caseLabels.amounts.order')} `}
      <MoneyText money={amount} />
      {differing && (
        <Beside stacked={stacked} warn={!differing.covered}>
          {t('caseLabels.amounts.document')}{' '}
          {shown.length === 0
            ? t('caseLabels.amounts.none')
            : shown.map((money, index) => (
                <span key={`${money.amount} ${money.currency}`}>
                  {index > 0 && t('caseLabels.next.comma')}
                  <MoneyText money={money} />
                </span>
              ))}
        </Beside>
      )}
      {risky && (
        <Beside stacked={stacked} warn>
          {t('caseLabels.amounts.atRisk')} <MoneyText money={amountAtRisk} />
        </Beside>
      )}
    </>
  );
}

/** A further amount: on a line of its own, or after a dot. */
function Beside({
  stacked,
  warn,
  children,
}: {
  stacked: boolean | undefined;
  warn: boolean;
  children: React.ReactNode;
}) {
  if (stacked)
    return (
      <div className="cs-secondary" data-warn={warn || undefined}>
        {children}
      </div>
    );
  return (
    <>
      {' · '}
      <span style={{ color: warn ? 'var(--cs-warn)' : 'inherit' }}>{children}</span>
    </>
  );
}

/** The names of the fields with different values, in one short line; null if there are none. */
export function DifferingFields({ names }: { names: readonly string[] | undefined }) {
  const { t } = useTranslation();
  if (!names || names.length === 0) return null;
  const list = names.map((name) => fieldLabel(t, name)).join(t('caseLabels.next.comma'));
  return (
    <div className="cs-secondary cs-lines2" data-warn>
      {t('caseLabels.differing', { names: list })}
    </div>
  );
}
