// The counters of each queue. Choosing a queue filters the list.
import { Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { QueueCountsQuery } from '../../graphql/generated/graphql';
import { queueLabel } from '../../lib/labels';
import { Badge } from '../../ui/StatusBadge';
import { LoadingState } from '../../ui/states';
import { claimsDueSoon, horizons } from './forecast-totals';
import { QueueForecasts } from './manage.graphql';
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
  const [{ data }] = useQuery({ query: QueueForecasts });
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
            {t('manage.queue', { name: queueLabel(t, queue.name) })}
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
            <Outlook queue={queue} dueSoon={claimsDueSoon(data?.queues, queue.name)} />
          </span>
        </UnstyledButton>
      ))}
    </section>
  );
}

/** Claims that will be due, or that no deadline is near. */
function Outlook({ queue, dueSoon }: { queue: Queue; dueSoon: number }) {
  const { t } = useTranslation();
  if (dueSoon > 0)
    return (
      <Badge tone="warn" icon="clock">
        {t('manage.figure.dueSoon', { count: dueSoon, hours: horizons[0] })}
      </Badge>
    );
  if (queue.overdue + queue.atRisk > 0) return null;
  return (
    <Badge tone="good" icon="check">
      {t('manage.figure.inTime')}
    </Badge>
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
