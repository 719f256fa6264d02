// One cause: how often, since when, and its incidents when it is opened.
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
import { nodeLabel, stageLabel } from '../../lib/words';
import { Icon } from '../../ui/Icon';
import { Badge } from '../../ui/StatusBadge';
import { ErrorState, LoadingState } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { type Group, linesOf, tally } from './groups';
import { IncidentRow } from './IncidentRow';
import classes from './incidents.module.css';
import type { Incident, Repair, Repairs } from './repairs';
import { useIncidents } from './use-incidents';

/** Built-in steps are called after what they do; a step of another process by its own name. */
function isStage(node: string): boolean {
  return ['read', 'extract', 'validate', 'assess', 'archive'].includes(node);
}

interface GroupCardProps {
  group: Group;
  /** All repairs, of other causes too. */
  begun: readonly Repair[];
  repairs: Repairs;
  /** The only cause is shown open. */
  alone: boolean;
}

export function GroupCard({ group, begun, repairs, alone }: GroupCardProps) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(alone || group.repairs.length > 0);
  const panel = useId();
  return (
    <section
      className={`cs-card ${classes.group}`}
      aria-label={t('incidents.groupLabel', { message: group.message })}
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
          <Text size="sm">{group.message}</Text>
          <Text size="xs" c="dimmed" component="span">
            <span className="cs-mono">{group.code}</span> · {t('incidents.since')}{' '}
            <Timestamp iso={group.oldest} />
          </Text>
        </span>
        <GroupBadges group={group} />
      </UnstyledButton>
      <Collapse expanded={opened} id={panel}>
        {opened && <GroupBody group={group} begun={begun} repairs={repairs} />}
      </Collapse>
    </section>
  );
}

function GroupBadges({ group }: { group: Group }) {
  const { t } = useTranslation();
  const count = tally(group.repairs);
  return (
    <span className={classes.badges}>
      {group.count > 0 && (
        <Badge tone="bad" icon="alert">
          {t('incidents.standing', { count: group.count })}
        </Badge>
      )}
      {count.asked > 0 && (
        <Badge tone="warn" icon="clock">
          {t('incidents.asked', { count: count.asked })}
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
  begun,
  repairs,
}: {
  group: Group;
  begun: readonly Repair[];
  repairs: Repairs;
}) {
  const { t } = useTranslation();
  const { incidents, more, error, again, all } = useIncidents(group, begun);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [reading, setReading] = useState(false);
  if (error && !incidents) return <ErrorState error={error} onRetry={again} />;
  if (!incidents) return <LoadingState lines={4} />;
  const lines = linesOf(incidents, group, begun);
  const able = lines.filter(mayRetry);
  const picked = able.filter(({ incident }) => chosen.has(incident.id));
  const toggle = (incident: Incident) =>
    setChosen((was) => {
      const next = new Set(was);
      if (!next.delete(incident.id)) next.add(incident.id);
      return next;
    });
  const retry = (some: readonly Incident[]) => {
    setChosen(new Set());
    repairs.retry(some);
  };
  const retryAll = async () => {
    setReading(true);
    const whole = await all();
    setReading(false);
    const waiting = new Set(
      begun.filter(({ state }) => !state.matches('standing')).map((one) => one.incident.case?.id),
    );
    retry(whole.filter((one) => one.actions.includes('RETRY') && !waiting.has(one.case?.id)));
  };
  return (
    <div className={classes.body}>
      {able.length > 0 && (
        <Row gap="sm" mb="xs">
          <Checkbox
            size="sm"
            label={t('incidents.chooseAll')}
            checked={picked.length === able.length}
            indeterminate={picked.length > 0 && picked.length < able.length}
            onChange={() =>
              setChosen(
                new Set(picked.length === able.length ? [] : able.map((l) => l.incident.id)),
              )
            }
          />
          <Button
            size="compact-md"
            variant={picked.length > 0 ? 'filled' : 'default'}
            leftSection={<Icon name="retry" size={15} />}
            loading={reading}
            onClick={() =>
              picked.length > 0 ? retry(picked.map((line) => line.incident)) : void retryAll()
            }
          >
            {picked.length > 0
              ? t('incidents.retryChosen', { count: picked.length })
              : t('incidents.retryAll', { count: Math.max(group.count, able.length) })}
          </Button>
        </Row>
      )}
      <ul className={classes.lines}>
        {lines.map((line) => (
          <IncidentRow
            key={`${line.repair ? 'repair' : 'standing'} ${line.incident.case?.id ?? line.incident.id}`}
            line={line}
            chosen={chosen.has(line.incident.id)}
            onToggle={mayRetry(line) ? toggle : null}
            onRetry={(incident) => retry([incident])}
            onAbandon={(incident, reason) => repairs.abandon(incident, reason)}
            onForget={(id) => repairs.forget([id])}
          />
        ))}
      </ul>
      {more && (
        <Button variant="default" onClick={more.read} loading={more.reading}>
          {t('ui.more')}
        </Button>
      )}
    </div>
  );
}

function mayRetry({ incident, repair }: { incident: Incident; repair: Repair | null }): boolean {
  return (
    incident.actions.includes('RETRY') && (repair === null || repair.state.matches('standing'))
  );
}
