// Legal holds of a case and the erasure of its personal data.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ProposeErasureInput } from '../../graphql/generated/bounds';
import { hasRole, usePerson } from '../../lib/session';
import { ConfirmDialog } from '../../ui/buttons';
import { DoneNotice, Notice, RefusalAlert } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import { Section } from './CaseSections';
import type { CaseData } from './IncidentPanel';
import { PlaceLegalHold, ProposeErasure, ProposeHoldLift } from './retention.graphql';

/** Says that and why the personal data was erased. */
export function ErasureNotice({ caseData }: { caseData: CaseData }) {
  const { t } = useTranslation();
  const { erasure } = caseData;
  if (!erasure) return null;
  return (
    <Notice tone="calm" icon="file">
      <Text component="p" m={0} fw={600}>
        {t('case.retention.erased', { reason: erasure.reason })}{' '}
        <Timestamp iso={erasure.at} as="moment" />
      </Text>
      {erasure.proposedBy && erasure.confirmedBy && (
        <Text component="p" m={0} size="sm">
          {t('case.retention.erasedBy', {
            proposer: erasure.proposedBy.name,
            confirmer: erasure.confirmedBy.name,
          })}
        </Text>
      )}
    </Notice>
  );
}

type Asked = { kind: 'place' } | { kind: 'erase' } | { kind: 'lift'; holdId: string };

interface RetentionProps {
  caseData: CaseData;
  onChanged: () => void;
}

/** The holds, and the buttons for those who may place one, lift one or propose the erasure. */
export function Retention({ caseData, onChanged }: RetentionProps) {
  const { t } = useTranslation();
  const person = usePerson();
  const administers = hasRole(person, 'administrator');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [done, setDone] = useState<string | null>(null);
  if (!administers && !hasRole(person, 'auditor', 'manager')) return null;
  const finished = (message: string) => {
    setAsked(null);
    setDone(message);
    onChanged();
  };
  const ended = ['ARCHIVED', 'REJECTED', 'ABANDONED'].includes(caseData.status);
  return (
    <Section id="retention" title={t('case.retention.title')}>
      <DoneNotice message={done} mb={8} />
      {caseData.legalHolds.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('case.retention.noHolds')}
        </Text>
      )}
      {caseData.legalHolds.map((hold) => (
        <div key={hold.id}>
          <Text size="sm" c={hold.liftedAt ? 'dimmed' : undefined}>
            {t('case.retention.hold', { reason: hold.reason })}
          </Text>
          <Text size="xs" c="dimmed">
            <PersonName person={hold.placedBy} /> · <Timestamp iso={hold.placedAt} as="moment" />
            {hold.liftedAt && (
              <>
                {' · '}
                {t('case.retention.lifted')} <Timestamp iso={hold.liftedAt} as="moment" />
              </>
            )}
          </Text>
          {administers && !hold.liftedAt && (
            <Button
              variant="default"
              size="compact-sm"
              mt={4}
              onClick={() => setAsked({ kind: 'lift', holdId: hold.id })}
            >
              {t('case.retention.lift')}
            </Button>
          )}
        </div>
      ))}
      {!caseData.erasure && (
        <Group gap="xs" mt="sm">
          <Button variant="default" size="compact-sm" onClick={() => setAsked({ kind: 'place' })}>
            {t('case.retention.place')}
          </Button>
          {administers && ended && (
            <Button variant="default" size="compact-sm" onClick={() => setAsked({ kind: 'erase' })}>
              {t('case.retention.erase')}
            </Button>
          )}
        </Group>
      )}
      {asked && (
        <AskDialog
          key={asked.kind}
          asked={asked}
          caseId={caseData.id}
          onDone={finished}
          onClose={() => setAsked(null)}
        />
      )}
    </Section>
  );
}

interface AskDialogProps {
  asked: Asked;
  caseId: string;
  onDone: (message: string) => void;
  onClose: () => void;
}

function AskDialog({ asked, caseId, onDone, onClose }: AskDialogProps) {
  const { t } = useTranslation();
  const place = useCommand(PlaceLegalHold, (data) => data.placeLegalHold);
  const lift = useCommand(ProposeHoldLift, (data) => data.proposeHoldLift);
  const erase = useCommand(ProposeErasure, (data) => data.proposeErasure);
  const command = { place, lift, erase }[asked.kind];
  const send = async (reason: string) => {
    const payload =
      asked.kind === 'lift'
        ? await lift.run({ holdId: asked.holdId, reason })
        : await (asked.kind === 'place' ? place : erase).run({ caseId, reason });
    if (payload)
      onDone(t(asked.kind === 'place' ? 'case.retention.placed' : 'case.retention.proposed'));
  };
  return (
    <ConfirmDialog
      opened
      title={t(`case.retention.${asked.kind}`)}
      confirmLabel={t(`case.retention.${asked.kind}`)}
      danger={asked.kind === 'erase'}
      busy={command.busy}
      reason={{
        label: t('case.retention.reason'),
        required: true,
        maxLength: ProposeErasureInput.reason,
      }}
      onConfirm={(reason) => void send(reason)}
      onClose={onClose}
    >
      {t(`case.retention.${asked.kind}Text`)}
      <RefusalAlert refusals={command.refusals} error={command.error} />
    </ConfirmDialog>
  );
}
