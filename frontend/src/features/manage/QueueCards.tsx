// The counters of each queue. Choosing a queue filters the list.
import { Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { QueueCountsQuery } from '../../graphql/generated/graphql';
import { Badge } from '../../ui/StatusBadge';
import { LoadingState } from '../../ui/states';
import classes from './manage.module.css';

type Queue = QueueCountsQuery['queues'][number];

interface QueueCardsProps {
  /** Undefined while loading. */
  queues: readonly Queue[] | undefined;
  chosen: string | null;
  onChoose: (queue: string | null) => void;
}

export function QueueCards({ queues, chosen, onChoose }: QueueCardsProps) {
  const { t } = useTranslation();
  if (!queues) return <LoadingState lines={3} />;
  return (
    <section aria-label={t('manage.queues')} className={classes.queues}>
      {queues.map((queue) => (
        <UnstyledButton
          key={queue.name}
          className={`cs-card ${classes.queueCard}`}
          aria-pressed={chosen === queue.name}
          onClick={() => onChoose(chosen === queue.name ? null : queue.name)}
        >
          <Text fw={650} className="cs-clip">
            {t('manage.queue', { name: queue.name })}
          </Text>
          <span className={classes.figures}>
            <Figure label={t('manage.figure.available')} value={queue.available} />
            <Figure label={t('manage.figure.assigned')} value={queue.assigned} />
            <Figure label={t('manage.figure.claimed')} value={queue.claimed} />
          </span>
          <span className={classes.lateness}>
            {queue.overdue > 0 && (
              <Badge tone="bad" icon="clock">
                {t('manage.figure.overdue', { count: queue.overdue })}
              </Badge>
            )}
            {queue.atRisk > 0 && (
              <Badge tone="warn" icon="clock">
                {t('manage.figure.atRisk', { count: queue.atRisk })}
              </Badge>
            )}
            {queue.overdue + queue.atRisk === 0 && (
              <Badge tone="good" icon="check">
                {t('manage.figure.inTime')}
              </Badge>
            )}
          </span>
        </UnstyledButton>
      ))}
    </section>
  );
}

function Figure({ label, value }: { label: string; value: number }) {
  return (
    <span>
      <b className={classes.number}>{value}</b>
      <span className={classes.figureLabel}>{label}</span>
    </span>
  );
}
