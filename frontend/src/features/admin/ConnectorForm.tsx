// The form to propose a connector, or another definition of one.
import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { PutConnectorInput } from '../../graphql/generated/bounds';
import type { ConnectorAudience } from '../../graphql/generated/graphql';
import { ButtonWithReason } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { useOutcome } from './ControlForms';
import { PutConnector } from './connectors.graphql';

const audiences: ConnectorAudience[] = ['SUBMITTER', 'STAFF', 'AUDITOR'];
const nothing = { name: '', url: '', secrets: '', reason: '' };

export function ConnectorForm({ onChanged }: { onChanged: (message: string) => void }) {
  const { t } = useTranslation();
  const outcome = useOutcome();
  const [texts, setTexts] = useState(nothing);
  const [audience, setAudience] = useState<ConnectorAudience>('STAFF');
  const [snapshot, setSnapshot] = useState(false);
  const command = useCommand(PutConnector, (data) => data.putConnector);
  const missing = Object.values(texts).some((text) => text.trim() === '');
  const send = async () => {
    const secrets = texts.secrets
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    const payload = await command.run({ ...texts, secrets, audience, snapshot, kind: 'WEBHOOK' });
    if (!payload) return;
    setTexts(nothing);
    onChanged(outcome(payload));
  };
  const field = (name: keyof typeof nothing, maxLength: number, description?: string) => (
    <TextInput
      label={t(`connectors.form.${name}`)}
      description={description}
      maxLength={maxLength}
      value={texts[name]}
      onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <Group gap="sm" mb="sm" align="flex-end">
        {field('name', PutConnectorInput.name)}
        {field('url', PutConnectorInput.url)}
        {field('secrets', 2 * PutConnectorInput.secrets, t('connectors.form.secretsHint'))}
        <Select
          label={t('connectors.form.audience')}
          data={audiences.map((value) => ({ value, label: t(`connectors.audience.${value}`) }))}
          value={audience}
          onChange={(value) => setAudience((value ?? 'STAFF') as ConnectorAudience)}
        />
        <Checkbox
          label={t('connectors.form.snapshot')}
          checked={snapshot}
          onChange={(event) => setSnapshot(event.currentTarget.checked)}
        />
        {field('reason', PutConnectorInput.reason)}
        <ButtonWithReason
          disabledReason={missing ? t('connectors.form.first') : null}
          loading={command.busy}
          onClick={() => void send()}
        >
          {t('connectors.form.propose')}
        </ButtonWithReason>
      </Group>
      <RefusalAlert refusals={command.refusals} error={command.error} />
    </>
  );
}
