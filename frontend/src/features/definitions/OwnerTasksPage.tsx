// The proposals that wait for the decision of the user as an owner of processes.
import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OwnerTasksQuery } from '../../graphql/generated/graphql';
import { useOwnerTasks } from '../../graphql/owner-tasks';
import { Badge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import classes from './definitions.module.css';

type Task = OwnerTasksQuery['ownerTasks']['nodes'][number];

export function OwnerTasksPage() {
  const { t } = useTranslation();
  const { tasks, error, reload } = useOwnerTasks();
  return (
    <>
      <PageHeader title={t('titles.approvals')}>{t('owners.tasks.intro')}</PageHeader>
      {error && !tasks && <ErrorState error={error} onRetry={reload} />}
      {!error && !tasks && <LoadingState lines={4} />}
      {tasks && tasks.nodes.length === 0 && (
        <EmptyState icon="check" title={t('owners.tasks.emptyTitle')}>
          {t('owners.tasks.emptyText')}
        </EmptyState>
      )}
      <ul className={classes.list}>
        {tasks?.nodes.map((task) => (
          <TaskItem key={`${task.proposalId} ${task.review.process}`} task={task} />
        ))}
      </ul>
    </>
  );
}

function TaskItem({ task }: { task: Task }) {
  const { t } = useTranslation();
  const { approved, required, rejected, process, withoutFrom } = task.review;
  return (
    <li className="cs-card">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className={classes.names}>
          <Title order={2} className="cs-lines2">
            <Link to="/definitions/$key" params={{ key: task.process }}>
              {t(`owners.tasks.kind.${task.kind}`, { process: task.process })}
            </Link>
          </Title>
          {task.note && <Text size="sm">{task.note}</Text>}
          <Text size="xs" c="dimmed" component="div">
            <PersonName person={task.proposedBy} /> ·{' '}
            <Timestamp iso={task.proposedAt} as="moment" />
          </Text>
        </div>
        <div>
          <Text size="sm">{t('owners.review', { process, approved, required })}</Text>
          {rejected ? (
            <Badge tone="bad" icon="cross">
              {t('owners.tasks.rejected')}
            </Badge>
          ) : (
            <Text size="xs" c="dimmed">
              {t('owners.tasks.without')} <Timestamp iso={withoutFrom} as="moment" />
            </Text>
          )}
        </div>
      </Group>
    </li>
  );
}
