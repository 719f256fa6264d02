// One incident: its repair state and the permitted recovery actions.
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AbandonCaseInput } from '../../graphql/generated/bounds';
import { isFileFault } from '../../lib/file-faults';
import { failureMessage, refusalMessage } from '../../lib/labels';
import { ConfirmDialog } from '../../ui/buttons';
import { rowName, UncertainFile, UncertainMark } from '../../ui/Counterparty';
import { Icon } from '../../ui/Icon';
import { Badge } from '../../ui/StatusBadge';
import { Timestamp } from '../../ui/values';
import type { Line } from './groups';
import classes from './incidents.module.css';
import type { Incident, RepairState } from './repairs';

interface IncidentRowProps {
  line: Line;
  chosen: boolean;
  /** Null if it cannot be selected now. */
  onToggle: ((incident: Incident) => void) | null;
  onRetry: (incident: Incident) => void;
  onAbandon: (incident: Incident, reason: string) => void;
  onDismiss: (caseId: string) => void;
}

export function IncidentRow({
  line,
  chosen,
  onToggle,
  onRetry,
  onAbandon,
  onDismiss,
}: IncidentRowProps) {
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState(false);
  const { incident, repair } = line;
  const doc = incident.case;
  const open = !repair || repair.state.matches('open');
  const isAllowed = (action: Incident['actions'][number]) =>
    open && incident.actions.includes(action);
  const reference = doc?.reference ?? '';
  const fileFault = isFileFault(incident.code);
  const retry = isAllowed('RETRY') && (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon name="retry" size={15} />}
      onClick={() => onRetry(incident)}
      aria-label={t('incidents.retryOne', { reference })}
    >
      {t('incidents.way.retry')}
    </Button>
  );
  return (
    <li className={classes.line} data-state={repair ? String(repair.state.value) : 'open'}>
      <span>
        {onToggle && (
          <Checkbox
            aria-label={t('incidents.choose', { reference })}
            checked={chosen}
            onChange={() => onToggle(incident)}
          />
        )}
      </span>
      <span className={classes.summary}>
        {doc && (
          <Link to="/cases/$id" params={{ id: doc.reference }}>
            {reference}
          </Link>
        )}
        <span className={`cs-lines2 ${classes.party}`}>
          {rowName(doc?.counterparty ?? '', doc?.document?.fileName)} <UncertainMark of={doc} />
        </span>
        {doc && <UncertainFile of={doc} fileName={doc.document?.fileName} />}
        <RepairStatus incident={incident} state={repair?.state ?? null} />
      </span>
      <Group gap={6} className={classes.actions}>
        {!fileFault && retry}
        {doc && isAllowed('REPLACE_DOCUMENT') && (
          <Link to="/cases/$id" params={{ id: doc.reference }} className={classes.actionLink}>
            {t('incidents.way.replace')}
          </Link>
        )}
        {doc && isAllowed('ENTER_FIELDS') && (
          <Link to="/cases/$id" params={{ id: doc.reference }} className={classes.actionLink}>
            {t('incidents.way.enter')}
          </Link>
        )}
        {isAllowed('ABANDON') && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setConfirming(true)}
            aria-label={t('incidents.abandonOne', { reference })}
          >
            {t('incidents.way.abandon')}
          </Button>
        )}
        {fileFault && retry}
        {repair && !repair.state.matches('sending') && doc && (
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => onDismiss(doc.id)}
            aria-label={t('incidents.putAwayOne', { reference })}
          >
            {t('incidents.putAwayShort')}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={confirming}
        title={t('incidents.abandonTitle', { reference })}
        confirmLabel={t('incidents.way.abandon')}
        danger
        reason={{
          label: t('incidents.abandonReason'),
          required: true,
          maxLength: AbandonCaseInput.reason,
        }}
        onConfirm={(reason) => {
          setConfirming(false);
          onAbandon(incident, reason);
        }}
        onClose={() => setConfirming(false)}
      >
        {t('incidents.abandonText')}
      </ConfirmDialog>
    </li>
  );
}

/** The state of the repair as a badge and a message. */
function RepairStatus({ incident, state }: { incident: Incident; state: RepairState | null }) {
  const { t, i18n } = useTranslation();
  if (!state) {
    return (
      <>
        <Text size="sm" component="span">
          {refusalMessage(t, i18n.language, incident)}
        </Text>
        <Text size="xs" c="dimmed" component="span">
          {t('incidents.failedAt', { count: incident.attempt })}{' '}
          {incident.openedAt && <Timestamp iso={incident.openedAt} />}
        </Text>
      </>
    );
  }
  const { context } = state;
  if (state.matches('passed')) {
    return (
      <Badge tone="good" icon="check">
        {t('incidents.state.passed')}
      </Badge>
    );
  }
  if (state.matches('closed')) {
    return (
      <Badge tone="calm" icon="done">
        {context.action === 'abandon'
          ? t('incidents.state.abandoned')
          : t('incidents.state.entered')}
      </Badge>
    );
  }
  if (state.matches('open')) {
    const { problem } = context;
    const text =
      problem?.kind === 'refused'
        ? refusalMessage(t, i18n.language, problem.refusal)
        : problem?.kind === 'failed'
          ? failureMessage(t, i18n.language, problem.failure).message
          : context.message;
    return (
      <span className={classes.message}>
        <Badge tone="bad" icon="alert">
          {context.failedAgain ? t('incidents.state.again') : t('incidents.state.standing')}
        </Badge>
        <Text size="sm" component="span">
          {text}
        </Text>
      </span>
    );
  }
  return (
    <span className={classes.message}>
      <Badge tone="warn" icon="clock">
        {state.matches('abandoning') ? t('incidents.state.givingUp') : t('incidents.state.asked')}
      </Badge>
      {context.by && (
        <Text size="sm" component="span" className="cs-lines2">
          {t('incidents.state.by', { name: context.by })}
        </Text>
      )}
      {context.nextAttempt !== null && (
        <Text size="sm" component="span">
          {t('incidents.state.retrying', { attempt: context.nextAttempt })}
        </Text>
      )}
    </span>
  );
}
