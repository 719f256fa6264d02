// The form in which users change their own password.
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../lib/refusals';
import { shortestPassword } from '../../lib/session';
import { DoneNotice, RefusalAlert } from '../../ui/states';
import { changePassword } from './own-password';

const empty = { present: '', wanted: '', again: '' };
const autoComplete = {
  present: 'current-password',
  wanted: 'new-password',
  again: 'new-password',
} as const;

export function OwnPassword() {
  const { t } = useTranslation();
  const [values, setValues] = useState(empty);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const { present, wanted, again } = values;
  const differs = again !== '' && again !== wanted;
  const send = async () => {
    setBusy(true);
    const failed = await changePassword(present, wanted);
    setBusy(false);
    setFailure(failed);
    setNotice(failed ? null : t('admin.password.done'));
    setValues(failed ? { ...values, present: '' } : empty);
  };
  return (
    <section className="cs-card" aria-labelledby="own-password">
      <Title order={2} id="own-password">
        {t('admin.password.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('admin.password.intro')}
      </Text>
      <DoneNotice message={notice} mb="xs" />
      <RefusalAlert refusals={failure ? [failure] : []} error={null} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Stack gap="xs" maw={420} mt="sm">
          {(['present', 'wanted', 'again'] as const).map((name) => (
            <TextInput
              key={name}
              type="password"
              required
              withAsterisk={false}
              name={name}
              autoComplete={autoComplete[name]}
              maxLength={1024}
              label={t(`admin.password.${name}`)}
              error={name === 'again' && differs ? t('app.choosePassword.differs') : null}
              value={values[name]}
              onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
            />
          ))}
          <Text size="sm" c="dimmed">
            {t('admin.password.shortest', { count: shortestPassword })}
          </Text>
          <Group>
            <Button
              type="submit"
              size="sm"
              loading={busy}
              disabled={wanted.length < shortestPassword || wanted !== again}
            >
              {t('admin.password.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </section>
  );
}
