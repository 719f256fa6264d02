// The lists of delegations and absences; each entry can be ended.
import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { EndDelegationInput } from '../../graphql/generated/bounds';
import type { AbsenceLineFragment, DelegationLineFragment } from '../../graphql/generated/graphql';
import { dayText } from '../../lib/format';
import { documentTypeLabels, queueLabels } from '../../lib/labels';
import { useRefused } from '../../lib/use-stale';
import { ConfirmDialog } from '../../ui/buttons';
import { Badge } from '../../ui/StatusBadge';
import { RefusalAlert } from '../../ui/states';
import { MoneyText, PersonName } from '../../ui/values';
import { EndDelegation, EndOutOfOffice } from './delegations.graphql';
import classes from './delegations.module.css';

/** Formats a date range; its last day is the day before the exclusive end. */
function useDateRangeText() {
  const { t, i18n } = useTranslation();
  return (from: string, until: string) => {
    const last = new Date(Date.parse(until) - 1).toISOString();
    const day = (iso: string) => dayText(iso, i18n.language);
    return t('delegations.span', { from: day(from), last: day(last) });
  };
}

function ActiveBadge({ active }: { active: boolean }) {
  const { t } = useTranslation();
  return active ? (
    <Badge tone="good" icon="check">
      {t('delegations.active')}
    </Badge>
  ) : (
    <Badge tone="calm" icon="clock">
      {t('delegations.later')}
    </Badge>
  );
}

/** An entry with its state and the button that ends it. */
function EndableItem({ active, label, onEnd, children }: EndableItemProps) {
  const { t } = useTranslation();
  return (
    <li className={classes.item}>
      <div className={classes.long}>{children}</div>
      <Group gap="xs">
        <ActiveBadge active={active} />
        <Button variant="default" size="compact-sm" aria-label={label} onClick={onEnd}>
          {t('delegations.end')}
        </Button>
      </Group>
    </li>
  );
}

interface EndableItemProps {
  active: boolean;
  /** The accessible name of the button. */
  label: string;
  onEnd: () => void;
  children: ReactNode;
}

interface DelegationListProps {
  label: string;
  delegations: readonly DelegationLineFragment[];
  onEnded: (message: string) => void;
  /** Another person was first: the page reads the lists. */
  onRefused: () => void;
}

export function DelegationList({ label, delegations, onEnded, onRefused }: DelegationListProps) {
  const { t } = useTranslation();
  const rangeText = useDateRangeText();
  const [ending, setEnding] = useState<DelegationLineFragment | null>(null);
  const command = useCommand(EndDelegation, (data) => data.endDelegation);
  useRefused(command.refusals, onRefused);
  const names = (one: DelegationLineFragment) => ({
    delegator: one.delegator?.name ?? '',
    delegate: one.delegate?.name ?? '',
  });
  const openDialog = (one: DelegationLineFragment) => {
    command.clear();
    setEnding(one);
  };
  return (
    <>
      <ul className={classes.list} aria-label={label}>
        {delegations.map((one) => (
          <EndableItem
            key={one.id}
            active={one.active}
            label={t('delegations.endOne', names(one))}
            onEnd={() => openDialog(one)}
          >
            <Text size="sm" fw={600} className="cs-lines2">
              <PersonName person={one.delegate} />
            </Text>{' '}
            <Text size="sm" component="div" className="cs-lines2">
              {t('delegations.actsFor')}{' '}
              <b>
                <PersonName person={one.delegator} />
              </b>
            </Text>
            <Text size="sm">{rangeText(one.validFrom, one.validUntil)}</Text>
            <Text size="xs" c="dimmed" component="div">
              {one.queues.length > 0
                ? t('delegations.onlyQueues', {
                    queues: queueLabels(t, one.queues),
                  })
                : t('delegations.everyQueue')}
              {one.documentTypes.length > 0 &&
                ` · ${t('delegations.onlyTypes', { types: documentTypeLabels(t, one.documentTypes) })}`}
              {one.limit && (
                <>
                  {' · '}
                  {t('delegations.upTo')} <MoneyText money={one.limit} />
                </>
              )}
            </Text>
            {one.reason && (
              <Text size="xs" c="dimmed" className="cs-lines2" title={one.reason}>
                {one.reason}
              </Text>
            )}
          </EndableItem>
        ))}
      </ul>
      <ConfirmDialog
        opened={ending !== null}
        title={t('delegations.endTitle')}
        confirmLabel={t('delegations.end')}
        busy={command.busy}
        reason={{
          label: t('delegations.reason'),
          required: false,
          maxLength: EndDelegationInput.reason,
        }}
        onClose={() => setEnding(null)}
        onConfirm={async (reason) => {
          if (!ending) return;
          const payload = await command.run({ delegationId: ending.id, reason: reason || null });
          if (!payload) return;
          setEnding(null);
          onEnded(t('delegations.ended', names(ending)));
        }}
      >
        {ending && t('delegations.endText', names(ending))}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </>
  );
}

interface AbsenceListProps {
  label: string;
  absences: readonly AbsenceLineFragment[];
  onEnded: (message: string) => void;
  /** Another person was first: the page reads the lists. */
  onRefused: () => void;
}

export function AbsenceList({ label, absences, onEnded, onRefused }: AbsenceListProps) {
  const { t } = useTranslation();
  const rangeText = useDateRangeText();
  const [ending, setEnding] = useState<AbsenceLineFragment | null>(null);
  const command = useCommand(EndOutOfOffice, (data) => data.endOutOfOffice);
  useRefused(command.refusals, onRefused);
  const openDialog = (one: AbsenceLineFragment) => {
    command.clear();
    setEnding(one);
  };
  return (
    <>
      <ul className={classes.list} aria-label={label}>
        {absences.map((one) => (
          <EndableItem
            key={one.id}
            active={one.active}
            label={t('delegations.outOfOffice.endOne', { name: one.person?.name ?? '' })}
            onEnd={() => openDialog(one)}
          >
            <Text size="sm" component="div" className="cs-lines2">
              <b>
                <PersonName person={one.person} />
              </b>
            </Text>
            <Text size="sm">{rangeText(one.validFrom, one.validUntil)}</Text>
            <Text size="xs" c="dimmed" className="cs-lines2">
              {one.substitute
                ? t('delegations.outOfOffice.goesTo', { name: one.substitute.name })
                : t('delegations.outOfOffice.goesToNone')}
              {one.reason && ` · ${one.reason}`}
            </Text>
          </EndableItem>
        ))}
      </ul>
      <ConfirmDialog
        opened={ending !== null}
        title={t('delegations.outOfOffice.endTitle')}
        confirmLabel={t('delegations.end')}
        busy={command.busy}
        onClose={() => setEnding(null)}
        onConfirm={async () => {
          if (!ending || !(await command.run({ absenceId: ending.id }))) return;
          setEnding(null);
          onEnded(t('delegations.outOfOffice.ended', { name: ending.person?.name ?? '' }));
        }}
      >
        {ending && t('delegations.outOfOffice.endText', { name: ending.person?.name ?? '' })}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </>
  );
}
