// A correction case shows the archived case with its payment order; the archived case shows its
// correction.
import { Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CorrectionLinksFragment } from '../../graphql/generated/graphql';
import { groupedAccount } from '../../lib/value-text';
import { Notice } from '../states';
import { MoneyText, Timestamp } from '../values';
import classes from './order.module.css';

type Corrected = NonNullable<CorrectionLinksFragment['corrects']>;

export function Correction({ links }: { links: CorrectionLinksFragment }) {
  const { t } = useTranslation();
  const { corrects, correction } = links;
  if (!corrects && !correction) return null;
  return (
    <section className={`cs-card ${classes.panel}`} aria-labelledby="case-correction">
      <Title order={2} id="case-correction">
        {t('correction.title')}
      </Title>
      {correction && (
        <Notice tone="warn" icon="alert">
          <Text size="sm">{t('correction.isCorrected')}</Text>
          <Link to="/cases/$id" params={{ id: correction.reference }}>
            {t('correction.open', { reference: correction.reference })}
          </Link>
        </Notice>
      )}
      {corrects && (
        <Notice tone="warn" icon="alert">
          <Text size="sm">
            {t('correction.corrects', { reference: corrects.reference })}{' '}
            {t('correction.paysNothing')}
          </Text>
          {corrects.case && (
            <Link to="/cases/$id" params={{ id: corrects.reference }}>
              {t('correction.open', { reference: corrects.reference })}
            </Link>
          )}
        </Notice>
      )}
      {corrects?.order && <Order reference={corrects.reference} order={corrects.order} />}
    </section>
  );
}

function Order({
  reference,
  order,
}: {
  reference: string;
  order: NonNullable<Corrected['order']>;
}) {
  const { t } = useTranslation();
  return (
    <div>
      <Title order={3} size="h5" id="corrected-order">
        {t('correction.order', { reference })}
      </Title>
      <ul className={classes.lines} aria-labelledby="corrected-order">
        <Line label={t('order.values.amount')}>
          <MoneyText money={order.amount} />
        </Line>
        <Line label={t('order.values.payee')}>{order.payee}</Line>
        <Line label={t('order.values.account')}>
          <span className="cs-mono">{groupedAccount(order.account)}</span>
        </Line>
        {order.bic && <Line label={t('order.values.bic')}>{order.bic}</Line>}
        <Line label={t('order.values.payer')}>{order.payer}</Line>
        <Line label={t('order.values.reference')}>{order.reference}</Line>
        <Line label={t('order.values.purpose')}>{order.purpose}</Line>
        <Line label={t('correction.passed')}>
          {order.passedAt ? (
            <Timestamp iso={order.passedAt} as="moment" />
          ) : (
            t('correction.notPassed')
          )}
        </Line>
      </ul>
    </div>
  );
}

function Line({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <li className={classes.line}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <div className={`${classes.cell} ${classes.only}`}>
        <Text span fw={600} size="sm">
          {children}
        </Text>
      </div>
    </li>
  );
}
