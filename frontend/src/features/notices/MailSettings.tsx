// The user's choice of notices that are sent by e-mail.
import { Alert, Button, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import type { NoticeMail, NoticeSettingsLinesFragment } from '../../graphql/generated/graphql';
import { DoneNotice, ErrorState, RefusalAlert } from '../../ui/states';
import {
  NoticeSettings,
  RetryMailAddress,
  SetNoticeCalendar,
  SetNoticeMail,
} from './notices.graphql';
import classes from './notices.module.css';

const choices: readonly NoticeMail[] = ['IMMEDIATELY', 'DIGEST', 'OFF'];

export function MailSettings() {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({ query: NoticeSettings });
  const settings = data?.noticeSettings;
  return (
    <section className="cs-card" aria-labelledby="mails">
      <Title order={2} id="mails">
        {t('notices.settings.title')}
      </Title>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {settings && !settings.mailAvailable && <Text size="sm">{t('notices.settings.none')}</Text>}
      {settings?.mailAvailable && (
        <Choices settings={settings} onChanged={() => refetch({ requestPolicy: 'network-only' })} />
      )}
    </section>
  );
}

interface ChoicesProps {
  settings: NoticeSettingsLinesFragment;
  onChanged: () => void;
}

function Choices({ settings, onChanged }: ChoicesProps) {
  const { t } = useTranslation();
  const [done, setDone] = useState<string | null>(null);
  const mail = useCommand(SetNoticeMail, (answer) => answer.setNoticeMail);
  const calendar = useCommand(SetNoticeCalendar, (answer) => answer.setNoticeCalendar);
  const saved = (message: string) => {
    setDone(message);
    onChanged();
  };
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" className={classes.long}>
        {t('notices.settings.to', { address: settings.address })}
      </Text>
      {settings.refusal !== null && (
        <RefusedAddress answer={settings.refusal ?? ''} onChanged={saved} />
      )}
      <div className={classes.kinds}>
        {settings.kinds.map((setting) => (
          <NativeSelect
            key={setting.kind}
            label={t(`notices.settings.kinds.${setting.kind}`)}
            value={setting.mail}
            data={choices.map((value) => ({ value, label: t(`notices.settings.mails.${value}`) }))}
            onChange={async (event) => {
              const chosen = event.currentTarget.value as NoticeMail;
              if (await mail.run({ kind: setting.kind, mail: chosen }))
                saved(t('notices.settings.saved'));
            }}
          />
        ))}
        {settings.calendars.length > 0 && (
          <NativeSelect
            label={t('notices.settings.calendar')}
            value={settings.calendar ?? ''}
            data={[
              { value: '', label: t('notices.settings.always') },
              ...settings.calendars.map((name) => ({ value: name, label: name })),
            ]}
            onChange={async (event) => {
              const chosen = event.currentTarget.value || null;
              if (await calendar.run({ calendar: chosen })) saved(t('notices.settings.saved'));
            }}
          />
        )}
      </div>
      <DoneNotice message={done} mb={0} />
      <RefusalAlert refusals={mail.refusals} error={mail.error} />
      <RefusalAlert refusals={calendar.refusals} error={calendar.error} />
    </Stack>
  );
}

function RefusedAddress({
  answer,
  onChanged,
}: {
  answer: string;
  onChanged: (message: string) => void;
}) {
  const { t } = useTranslation();
  const retry = useCommand(RetryMailAddress, (data) => data.retryMailAddress);
  const send = async () => {
    if (await retry.run({})) onChanged(t('notices.settings.retried'));
  };
  return (
    <Alert color="orange" className={classes.long}>
      <Text size="sm">{t('notices.settings.refused', { answer })}</Text>
      <Button
        variant="default"
        size="compact-sm"
        mt="xs"
        loading={retry.busy}
        onClick={() => void send()}
      >
        {t('notices.settings.retry')}
      </Button>
      <RefusalAlert refusals={retry.refusals} error={retry.error} />
    </Alert>
  );
}
