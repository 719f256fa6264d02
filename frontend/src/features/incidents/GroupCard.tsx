// One cause of incidents: count, age, and its incidents when it is expanded.
import {
  Button,
  Checkbox,
  Collapse,
  Group as Row,
  Text,
  Title,
  UnstyledButton,
} from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isFileFault } from '../../lib/file-faults';
import { nodeLabel, stageLabel } from '../../lib/labels';
import { Icon } from '../../ui/Icon';
import { Badge } from '../../ui/StatusBadge';
import { ErrorState, LoadingState } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { causeText, countRepairs, type Group, linesOf } from './groups';
import { IncidentRow } from './IncidentRow';
import classes from './incidents.module.css';
import type { Incident, Repair, Repairs } from './repairs';
import { useIncidents } from './use-incidents';

/** Built-in steps are labelled by their behaviour, other steps by their name. */
function isStage(node: string): boolean {
  return ['read', 'extract', 'validate', 'assess', 'archive'].includes(node);
}

interface GroupCardProps {
  group: Group;
  /** All repairs, including those of other causes. */
  repairList: readonly Repair[];
  repairs: Repairs;
  /** A single cause is expanded by default. */
  defaultOpened: boolean;
}

export function GroupCard({ group, repairList, repairs, defaultOpened }: GroupCardProps) {
  const { t, i18n } = useTranslation();
  const message = causeText(t, i18n.language, group);
  const [opened, setOpened] = useState(defaultOpened || group.repairs.length > 0);
  const panel = useId();
  return (
    <section
      className={`cs-card ${classes.group}`}
      aria-label={t('incidents.groupLabel', { message })}
    >
      <UnstyledButton
        className={classes.head}
        aria-expanded={opened}
        aria-controls={panel}
        onClick={() => setOpened(!opened)}
      >
        <span className={classes.arrow} data-opened={opened || undefined}>
          <Icon name="right" />
        </span>
        <span className={classes.cause}>
          <Title order={2} className="cs-lines2">
            {isStage(group.node)
              ? t('incidents.causeAt', { stage: stageLabel(t, group.node) })
              : t('incidents.causeAtNode', { node: nodeLabel(t, group.node) })}
          </Title>
          <Text size="sm">{message}</Text>
          <Text size="xs" c="dimmed" component="span">
            <span className="cs-mono">{group.code}</span> · {t('incidents.since')}{' '}
            <Timestamp iso={group.oldest} />
          </Text>
        </span>
        <GroupBadges group={group} />
      </UnstyledButton>
      <Collapse expanded={opened} id={panel}>
        {opened && <GroupBody group={group} repairList={repairList} repairs={repairs} />}
      </Collapse>
    </section>
  );
}

function GroupBadges({ group }: { group: Group }) {
  const { t } = useTranslation();
  const count = countRepairs(group.repairs);
  return (
    <span className={classes.badges}>
      {group.count > 0 && (
        <Badge tone="bad" icon="alert">
          {t('incidents.standing', { count: group.count })}
        </Badge>
      )}
      {count.queued > 0 && (
        <Badge tone="warn" icon="clock">
          {t('incidents.asked', { count: count.queued })}
        </Badge>
      )}
      {count.passed > 0 && (
        <Badge tone="good" icon="check">
          {t('incidents.passed', { count: count.passed })}
        </Badge>
      )}
    </span>
  );
}

function GroupBody({
  group,
  repairList,
  repairs,
}: {
  group: Group;
  repairList: readonly Repair[];
  repairs: Repairs;
}) {
  const { t } = useTranslation();
  const { incidents, loadMore, error, reload, all } = useIncidents(group, repairList);
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const [loadingAll, setLoadingAll] = useState(false);
  if (error && !incidents) return <ErrorState error={error} onRetry={reload} />;
  if (!incidents) return <LoadingState lines={4} />;
  const lines = linesOf(incidents, group, repairList);
  // A file at fault fails again, so that no retry of many is offered.
  const retryable = isFileFault(group.code) ? [] : lines.filter(mayRetry);
  const selected = retryable.filter(({ incident }) => selection.has(incident.id));
  const toggle = (incident: Incident) =>
    setSelection((previous) => {
      const next = new Set(previous);
      if (!next.delete(incident.id)) next.add(incident.id);
      return next;
    });
  const retry = (chosenIncidents: readonly Incident[]) => {
    setSelection(new Set());
    repairs.retry(chosenIncidents);
  };
  const retryAll = async () => {
    setLoadingAll(true);
    const allIncidents = await all();
    setLoadingAll(false);
    const waiting = new Set(
      repairList.filter(({ state }) => !state.matches('open')).map((one) => one.incident.case?.id),
    );
    retry(
      allIncidents.filter((one) => one.actions.includes('RETRY') && !waiting.has(one.case?.id)),
    );
  };
  return (
    <div className={classes.body}>
      {retryable.length > 0 && (
        <Row gap="sm" mb="xs">
          <Checkbox
            size="sm"
            label={t('incidents.chooseAll')}
            checked={selected.length === retryable.length}
            indeterminate={selected.length > 0 && selected.length < retryable.length}
            onChange={() =>
              setSelection(
                new Set(
                  selected.length === retryable.length ? [] : retryable.map((l) => l.incident.id),
                ),
              )
            }
          />
          <Button
            size="compact-md"
            variant={selected.length > 0 ? 'filled' : 'default'}
            leftSection={<Icon name="retry" size={15} />}
            loading={loadingAll}
            onClick={() =>
              selected.length > 0 ? retry(selected.map((line) => line.incident)) : void retryAll()
            }
          >
            {selected.length > 0
              ? t('incidents.retryChosen', { count: selected.length })
              : t('incidents.retryAll', { count: Math.max(group.count, retryable.length) })}
          </Button>
        </Row>
      )}
      <ul className={classes.lines}>
        {lines.map((line) => (
          <IncidentRow
            key={`${line.repair ? 'repair' : 'standing'} ${line.incident.case?.id ?? line.incident.id}`}
            line={line}
            chosen={selection.has(line.incident.id)}
            onToggle={retryable.includes(line) ? toggle : null}
            onRetry={(incident) => retry([incident])}
            onAbandon={(incident, reason) => repairs.abandon(incident, reason)}
            onDismiss={(id) => repairs.dismiss([id])}
          />
        ))}
      </ul>
      {loadMore && (
        <Button variant="default" onClick={loadMore.loaded} loading={loadMore.loadingMore}>
          {t('ui.more')}
        </Button>
      )}
    </div>
  );
}

function mayRetry({ incident, repair }: { incident: Incident; repair: Repair | null }): boolean {
  return incident.actions.includes('RETRY') && (repair === null || repair.state.matches('open'));
}
