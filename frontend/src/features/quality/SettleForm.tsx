// Both readings of a document, and the decision which one is right.
import { Group, Radio, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { SettleQualitySampleInput } from '../../graphql/generated/bounds';
import { fieldLabel } from '../../lib/labels';
import { ButtonWithReason } from '../../ui/buttons';
import type { TaskProps } from './QualityTaskPanel';
import { SettleQualitySample } from './quality.graphql';
import classes from './quality.module.css';
import { ReleaseButton } from './ReleaseButton';
import { TaskRefusal } from './TaskRefusal';

export function SettleForm({ task, onDone }: TaskProps) {
  const { t } = useTranslation();
  const [verdict, setVerdict] = useState<string | null>(null);
  const [reason, setReason] = useState('');
  const command = useCommand(SettleQualitySample, (data) => data.settleQualitySample);
  const send = async () => {
    const payload = await command.run({
      sampleId: task.id,
      archivedRightly: verdict === 'right',
      reason,
    });
    if (payload) {
      onDone(
        t(payload.status === 'WRONG' ? 'quality.settledWrong' : 'quality.settledRight'),
        payload.correctionId,
      );
    }
  };
  return (
    <>
      <div className={classes.compared}>
        <table className="cs-table">
          <thead>
            <tr>
              <th>{t('quality.field')}</th>
              <th>{t('quality.archivedValue')}</th>
              <th>{t('quality.checkedValue')}</th>
            </tr>
          </thead>
          <tbody>
            {task.check?.values.map((value) => (
              <tr key={value.field}>
                <td>{fieldLabel(t, value.field)}</td>
                <td>{value.archived || t('quality.none')}</td>
                <td>
                  {value.agrees ? (
                    value.checked || t('quality.none')
                  ) : (
                    <b>{value.checked || t('quality.none')}</b>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Text size="sm">
        {t(task.check?.approves ? 'quality.checkerApproves' : 'quality.checkerRefuses')}{' '}
        {task.check?.reason}
      </Text>
      <Radio.Group label={t('quality.decision')} value={verdict ?? ''} onChange={setVerdict}>
        <Group gap="md" mt={4}>
          <Radio value="right" label={t('quality.archivedRight')} />
          <Radio value="wrong" label={t('quality.archivedWrong')} />
        </Group>
      </Radio.Group>
      <Textarea
        label={t('quality.reason')}
        description={verdict === 'wrong' ? t('quality.reasonHint') : undefined}
        maxLength={SettleQualitySampleInput.reason}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <TaskRefusal refusals={command.refusals} error={command.error} />
      <Group gap="sm">
        <ButtonWithReason
          disabledReason={verdict && reason.trim() !== '' ? null : t('quality.decisionFirst')}
          loading={command.busy}
          onClick={() => void send()}
        >
          {t('quality.sendDecision')}
        </ButtonWithReason>
        <ReleaseButton task={task} onDone={onDone} />
      </Group>
    </>
  );
}
