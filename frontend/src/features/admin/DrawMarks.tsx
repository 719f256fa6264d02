// The amounts from which the reviewers of a process are drawn, and the form to propose another one.
import { Group, Select, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ProposeDrawMarkInput } from '../../graphql/generated/bounds';
import type { ControlDataQuery } from '../../graphql/generated/graphql';
import { processTitle } from '../../lib/sample-shares';
import { ButtonWithReason } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { MoneyText, PersonName, Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import { useOutcome } from './ControlForms';
import { ProposeDrawMark } from './controls.graphql';

interface DrawMarksProps {
  marks: ControlDataQuery['drawMarks'];
  processes: ControlDataQuery['processDefinitions']['nodes'];
  administers: boolean;
  onChanged: (message: string) => void;
}

export function DrawMarks({ marks, processes, administers, onChanged }: DrawMarksProps) {
  const { t, i18n } = useTranslation();
  return (
    <>
      <Title order={2} size="h4" mt="lg" mb="xs">
        {t('admin.controls.marks')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('admin.controls.marksText')}
      </Text>
      {administers && <MarkForm processes={processes} onChanged={onChanged} />}
      {marks.length > 0 && (
        <ul className={`cs-card ${classes.list}`} aria-label={t('admin.controls.marks')}>
          {marks.map((mark) => (
            <li key={mark.process} className={classes.item}>
              <div className={classes.long}>
                <Text size="sm">
                  <b>{processTitle(processes, i18n.language, mark.process)}</b> ·{' '}
                  {mark.amount ? <MoneyText money={mark.amount} /> : t('admin.controls.noMark')}
                </Text>
                <Text size="sm">{mark.reason}</Text>
                <Text size="xs" c="dimmed">
                  <PersonName person={mark.setBy} /> · <Timestamp iso={mark.since} as="moment" />
                </Text>
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function MarkForm({ processes, onChanged }: Pick<DrawMarksProps, 'processes' | 'onChanged'>) {
  const { t, i18n } = useTranslation();
  const outcome = useOutcome();
  const [process, setProcess] = useState<string | null>(null);
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const command = useCommand(ProposeDrawMark, (data) => data.proposeDrawMark);
  const send = async () => {
    const payload = await command.run({ process: process ?? '', amount, reason });
    if (!payload) return;
    setAmount('');
    setReason('');
    onChanged(outcome(payload));
  };
  return (
    <>
      <Group gap="sm" mb="sm" align="flex-end">
        <Select
          label={t('admin.controls.markProcess')}
          data={processes.map(({ key }) => ({
            value: key,
            label: processTitle(processes, i18n.language, key),
          }))}
          value={process}
          onChange={setProcess}
        />
        <TextInput
          label={t('admin.controls.mark')}
          description={t('admin.controls.markHint')}
          inputMode="decimal"
          maxLength={ProposeDrawMarkInput.amount}
          value={amount}
          onChange={(event) => setAmount(event.currentTarget.value)}
        />
        <TextInput
          label={t('admin.controls.markReason')}
          maxLength={ProposeDrawMarkInput.reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <ButtonWithReason
          disabledReason={!process || reason.trim() === '' ? t('admin.controls.markFirst') : null}
          loading={command.busy}
          onClick={() => void send()}
        >
          {t('admin.controls.proposeMark')}
        </ButtonWithReason>
      </Group>
      <RefusalAlert refusals={command.refusals} error={command.error} />
    </>
  );
}
