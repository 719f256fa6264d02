// The button by which a person submits the correction of an archived case that they found wrong.
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { CorrectArchivedCaseInput } from '../../graphql/generated/bounds';
import { ConfirmDialog } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { RefusalAlert } from '../../ui/states';
import { CorrectArchivedCase } from './correct.graphql';
import type { CaseData } from './IncidentPanel';

export function CorrectButton({ caseData }: { caseData: CaseData }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  if (!caseData.correctable) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="alert" size={16} />}
        onClick={() => setOpened(true)}
      >
        {t('case.correct.button')}
      </Button>
      {opened && <CorrectDialog caseData={caseData} onClose={() => setOpened(false)} />}
    </>
  );
}

function CorrectDialog({ caseData, onClose }: { caseData: CaseData; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const command = useCommand(CorrectArchivedCase, (data) => data.correctArchivedCase);
  const send = async (reason: string) => {
    const done = await command.run({ caseId: caseData.id, reason });
    if (!done) return;
    onClose();
    if (done.case) await navigate({ to: '/cases/$id', params: { id: done.case.id } });
  };
  return (
    <ConfirmDialog
      opened
      title={t('case.correct.title', { reference: caseData.reference })}
      confirmLabel={t('case.correct.send')}
      busy={command.busy}
      reason={{
        label: t('case.correct.reason'),
        required: true,
        maxLength: CorrectArchivedCaseInput.reason,
      }}
      onConfirm={(reason) => void send(reason)}
      onClose={onClose}
    >
      {t('case.correct.text')}
      <RefusalAlert refusals={command.refusals} error={command.error} />
    </ConfirmDialog>
  );
}
