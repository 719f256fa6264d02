// What a checker reads from a document, and the verdict.
import { Group, Radio, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { CheckQualitySampleInput, QualityValueInput } from '../../graphql/generated/bounds';
import { fieldLabel } from '../../lib/labels';
import { ButtonWithReason } from '../../ui/buttons';
import { valuesToSend } from './figures';
import type { TaskProps } from './QualityTaskPanel';
import { CheckQualitySample } from './quality.graphql';
import { ReleaseButton } from './ReleaseButton';
import { TaskRefusal } from './TaskRefusal';

export function CheckForm({ task, onDone }: TaskProps) {
  const { t } = useTranslation();
  const [values, setValues] = useState<Record<string, string>>({});
  const [verdict, setVerdict] = useState<string | null>(null);
  const [comment, setComment] = useState('');
  const command = useCommand(CheckQualitySample, (data) => data.checkQualitySample);
  const send = async () => {
    const payload = await command.run({
      sampleId: task.id,
      values: valuesToSend(task.fields, values),
      approves: verdict === 'yes',
      comment,
    });
    if (payload) onDone(t('quality.checked'));
  };
  return (
    <>
      {task.fields.map((field) => (
        <TextInput
          key={field}
          label={fieldLabel(t, field)}
          maxLength={QualityValueInput.value}
          value={values[field] ?? ''}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setValues((before) => ({ ...before, [field]: value }));
          }}
        />
      ))}
      <Radio.Group label={t('quality.wouldApprove')} value={verdict ?? ''} onChange={setVerdict}>
        <Group gap="md" mt={4}>
          <Radio value="yes" label={t('quality.yes')} />
          <Radio value="no" label={t('quality.no')} />
        </Group>
      </Radio.Group>
      <Textarea
        label={t('quality.comment')}
        maxLength={CheckQualitySampleInput.comment}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <TaskRefusal refusals={command.refusals} error={command.error} />
      <Group gap="sm">
        <ButtonWithReason
          disabledReason={verdict ? null : t('quality.verdictFirst')}
          loading={command.busy}
          onClick={() => void send()}
        >
          {t('quality.sendCheck')}
        </ButtonWithReason>
        <ReleaseButton task={task} onDone={onDone} />
      </Group>
    </>
  );
}
