// The page of a one-time link, on which a person chooses their password.
import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../lib/refusals';
import { shortestPassword } from '../lib/session';
import { RefusalAlert } from '../ui/states';
import classes from './app.module.css';
import { choosePassword } from './auth';

export function ChoosePassword() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const differs = again !== '' && again !== password;
  const send = async () => {
    setBusy(true);
    // The secret is in the fragment, which browsers do not send.
    const failed = await choosePassword(location.hash.slice(1), password);
    setBusy(false);
    setFailure(failed);
    if (!failed) void navigate({ to: '/sign-in', replace: true });
  };
  return (
    <main className={classes.front}>
      <div className={`cs-card ${classes.frontCard}`}>
        <Title order={1} mb={4}>
          {t('app.choosePassword.title')}
        </Title>
        <Text c="dimmed" mb="lg">
          {t('app.choosePassword.text', { count: shortestPassword })}
        </Text>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <Stack gap="sm">
            <TextInput
              required
              type="password"
              name="password"
              autoComplete="new-password"
              maxLength={1024}
              label={t('app.choosePassword.password')}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <TextInput
              required
              type="password"
              name="again"
              autoComplete="new-password"
              maxLength={1024}
              label={t('app.choosePassword.again')}
              error={differs ? t('app.choosePassword.differs') : null}
              value={again}
              onChange={(event) => setAgain(event.currentTarget.value)}
            />
            <RefusalAlert refusals={failure ? [failure] : []} error={null} />
            <Button
              type="submit"
              loading={busy}
              disabled={password.length < shortestPassword || password !== again}
            >
              {t('app.choosePassword.submit')}
            </Button>
          </Stack>
        </form>
      </div>
    </main>
  );
}
