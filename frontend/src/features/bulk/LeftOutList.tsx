// For how many of the selected cases each command is not possible, and why.
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { groupedAmount } from '../../lib/money';
import classes from './bulk.module.css';
import { type Action, byCause, type LeftOut, type Share } from './plan';

/** The cases of one cause that are named. */
const named = 10;

export function LeftOutList({ shares }: { shares: Partial<Record<Action, Share>> }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const id = useId();
  const actions = (['claim', 'approve', 'reassign'] as const).filter(
    (action) => (shares[action]?.leftOut.length ?? 0) > 0,
  );
  if (actions.length === 0) return null;
  return (
    <div className={classes.leftOut}>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={opened}
        aria-controls={id}
        onClick={() => setOpened(!opened)}
      >
        {t('bulk.why')}
      </Button>
      <div id={id} hidden={!opened}>
        {opened &&
          actions.map((action) => (
            <section key={action} aria-label={t(`bulk.leftOut.${action}`)}>
              <Text size="sm" fw={600}>
                {t(`bulk.leftOut.${action}`)}
              </Text>
              <ul>
                {byCause(shares[action]?.leftOut ?? []).map(([cause, list]) => (
                  <li key={cause}>
                    {t(`bulk.cause.${cause}`, { count: list.length })} <References list={list} />
                    <Limits list={list} />
                  </li>
                ))}
              </ul>
            </section>
          ))}
      </div>
    </div>
  );
}

/** The limits of bulk approval that the cases are above. */
function Limits({ list }: { list: readonly LeftOut[] }) {
  const { t, i18n } = useTranslation();
  const limits = list.find((one) => one.limits?.maxAmount)?.limits;
  if (!limits?.maxAmount) return null;
  const { amount, currency } = limits.maxAmount;
  return (
    <>
      {t('bulk.limits', {
        risk: limits.maxRisk,
        amount: `${groupedAmount(amount, i18n.language)} ${currency}`,
      })}
    </>
  );
}

function References({ list }: { list: readonly LeftOut[] }) {
  const { t } = useTranslation();
  return (
    <span className="cs-numbers">
      {list.slice(0, named).map(({ caseId, reference }) => (
        <span key={caseId}>
          <Link to="/cases/$id" params={{ id: reference }}>
            {reference}
          </Link>{' '}
        </span>
      ))}
      {list.length > named && t('bulk.more', { count: list.length - named })}
    </span>
  );
}
