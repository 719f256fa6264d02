// Why a payment order differs from its document: the reasons, and who stated and confirmed them.
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { OrderGroundKind, OrderGroundState } from '../../graphql/generated/graphql';
import { Badge, type Tone } from '../StatusBadge';
import { Timestamp } from '../values';
import classes from './order.module.css';

type Name = { id: string; name: string } | null;

export interface ShownGround {
  number: number;
  kind: OrderGroundKind;
  state: OrderGroundState;
  confirmable: boolean;
  explanation: string;
  statedBy: Name;
  statedAt: string;
  confirmedBy: Name;
  confirmedAt: string | null;
}

const groundTones: Record<OrderGroundState, Tone> = {
  STATED: 'warn',
  CONFIRMED: 'good',
  LAPSED: 'calm',
};

interface GroundsProps {
  grounds: readonly ShownGround[];
  /** The button of a ground. */
  action: ((ground: ShownGround) => ReactNode) | undefined;
}

export function Grounds({ grounds, action }: GroundsProps) {
  const { t } = useTranslation();
  return (
    <div>
      <Title order={3} size="h5" id="order-grounds">
        {t('order.grounds.title')}
      </Title>
      <ul className={classes.plain} aria-labelledby="order-grounds">
        {grounds.map((ground) => (
          <li key={ground.number} className={classes.ground} data-ground={ground.number}>
            <div className={classes.groundHead}>
              <Text size="sm" fw={600} span>
                {t(`order.grounds.kind.${ground.kind}`)}
              </Text>
              <Badge
                tone={groundTones[ground.state]}
                icon={ground.state === 'CONFIRMED' ? 'check' : 'alert'}
              >
                {t(`order.grounds.state.${ground.state}`)}
              </Badge>
            </div>
            <Text size="sm" className={classes.explanation}>
              {ground.explanation}
            </Text>
            <GroundPeople ground={ground} />
            {action?.(ground)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function GroundPeople({ ground }: { ground: ShownGround }) {
  const { t } = useTranslation();
  const { statedBy, statedAt, confirmedBy, confirmedAt, state } = ground;
  return (
    <Text size="xs" c="dimmed">
      {statedBy
        ? t('order.grounds.stated', { name: statedBy.name })
        : t('order.grounds.statedUnnamed')}{' '}
      · <Timestamp iso={statedAt} as="moment" />
      {confirmedAt && (
        <>
          <br />
          {confirmedBy
            ? t('order.grounds.confirmed', { name: confirmedBy.name })
            : t('order.grounds.confirmedUnnamed')}{' '}
          · <Timestamp iso={confirmedAt} as="moment" />
        </>
      )}
      {state !== 'CONFIRMED' && (
        <>
          <br />
          {t(`order.grounds.means.${state}`)}
        </>
      )}
    </Text>
  );
}
