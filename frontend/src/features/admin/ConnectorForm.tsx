// The form to propose a connector, or another definition of one.
import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ConnectorMailInput, PutConnectorInput } from '../../graphql/generated/bounds';
import type { ConnectorAudience, ConnectorKind } from '../../graphql/generated/graphql';
import { ButtonWithReason } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { useOutcome } from './ControlForms';
import { PutConnector } from './connectors.graphql';

const audiences: ConnectorAudience[] = ['SUBMITTER', 'STAFF', 'AUDITOR'];
const kinds: ConnectorKind[] = ['WEBHOOK', 'KAFKA', 'SMTP'];
const languages = ['en', 'zh'] as const;
const nothing = { name: '', url: '', secrets: '', from: '', to: '', reason: '' };

const listOf = (text: string) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** What each kind of connector needs. Only webhooks are always signed. */
const needed: Record<ConnectorKind, readonly (keyof typeof nothing)[]> = {
  WEBHOOK: ['name', 'url', 'secrets', 'reason'],
  KAFKA: ['name', 'url', 'reason'],
  SMTP: ['name', 'url', 'from', 'to', 'reason'],
};

export function ConnectorForm({ onChanged }: { onChanged: (message: string) => void }) {
  const { t } = useTranslation();
  const outcome = useOutcome();
  const [texts, setTexts] = useState(nothing);
  const [kind, setKind] = useState<ConnectorKind>('WEBHOOK');
  const [language, setLanguage] = useState('en');
  const [audience, setAudience] = useState<ConnectorAudience>('STAFF');
  const [snapshot, setSnapshot] = useState(false);
  const command = useCommand(PutConnector, (data) => data.putConnector);
  const missing = needed[kind].some((name) => texts[name].trim() === '');
  const send = async () => {
    const { name, url, reason } = texts;
    const payload = await command.run({
      name,
      url,
      reason,
      kind,
      audience,
      snapshot,
      secrets: listOf(texts.secrets),
      ...(kind === 'SMTP' && {
        mail: { from: texts.from.trim(), to: listOf(texts.to), language },
      }),
    });
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
        <Select
          label={t('connectors.form.kind')}
          data={kinds.map((value) => ({ value, label: t(`connectors.kind.${value}`) }))}
          value={kind}
          onChange={(value) => setKind((value ?? 'WEBHOOK') as ConnectorKind)}
        />
        {field('url', PutConnectorInput.url, t(`connectors.form.address.${kind}`))}
        {field('secrets', 2 * PutConnectorInput.secrets, t(`connectors.form.secret.${kind}`))}
        {kind === 'SMTP' && (
          <>
            {field('from', ConnectorMailInput.from)}
            {field('to', 20 * ConnectorMailInput.to, t('connectors.form.toHint'))}
            <Select
              label={t('connectors.form.language')}
              data={languages.map((value) => ({ value, label: t(`app.languages.${value}`) }))}
              value={language}
              onChange={(value) => setLanguage(value ?? 'en')}
            />
          </>
        )}
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
