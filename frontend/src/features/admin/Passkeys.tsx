// The user's passkeys, by which they sign in and sign approvals.
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../lib/refusals';
import { passkeyDomain, signInWays } from '../../lib/session';
import { useStore } from '../../lib/store';
import { DoneNotice, RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import {
  addPasskey,
  canUsePasskeys,
  listPasskeys,
  type Passkey,
  removePasskey,
} from './own-passkeys';

export function Passkeys() {
  const { t } = useTranslation();
  const domain = useStore(passkeyDomain);
  const [passkeys, setPasskeys] = useState<readonly Passkey[] | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const usable = canUsePasskeys(domain);
  const reload = useCallback(async () => {
    const read = await listPasskeys();
    if ('failure' in read) setFailure(read.failure);
    else setPasskeys(read.ok.passkeys);
  }, []);
  useEffect(() => void reload(), [reload]);
  const done = async (failed: Failure | null, text: string) => {
    setFailure(failed);
    setNotice(failed ? null : text);
    if (!failed) await reload();
  };
  const remove = async ({ id, name }: Passkey) =>
    done(await removePasskey(id), t('admin.passkeys.removed', { name }));
  return (
    <section className="cs-card" aria-labelledby="passkeys">
      <Title order={2} id="passkeys">
        {t('admin.passkeys.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('admin.passkeys.intro')}
      </Text>
      <DoneNotice message={notice} mb="xs" />
      <RefusalAlert refusals={failure ? [failure] : []} error={null} />
      {!usable && (
        <Text size="sm" my="xs">
          {domain === ''
            ? t('admin.passkeys.off')
            : t('admin.passkeys.elsewhere', { address: addressAt(domain) })}
        </Text>
      )}
      {passkeys?.length === 0 && (
        <Text size="sm" my="xs">
          {t('admin.passkeys.none')}
        </Text>
      )}
      <ul className={classes.list} aria-label={t('admin.passkeys.title')}>
        {passkeys?.map((passkey) => (
          <li key={passkey.id} className={classes.item}>
            <span className={classes.long}>
              <b>{passkey.name}</b>
              {passkey.synced && <> · {t('admin.passkeys.synced')}</>}
            </span>
            <Text size="xs" c="dimmed" component="span">
              {t('admin.passkeys.added')} <Timestamp iso={passkey.at} as="moment" />
              {passkey.usedAt && (
                <>
                  {' · '}
                  {t('admin.passkeys.used')} <Timestamp iso={passkey.usedAt} as="moment" />
                </>
              )}
            </Text>
            {usable && (
              <Button
                variant="default"
                size="xs"
                aria-label={t('admin.passkeys.removeOne', { name: passkey.name })}
                onClick={() => void remove(passkey)}
              >
                {t('admin.passkeys.remove')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {usable && passkeys && (
        <AddPasskey
          first={passkeys.length === 0}
          onDone={(failed, name) => done(failed, t('admin.passkeys.done', { name }))}
        />
      )}
    </section>
  );
}

/** The same page at the domain of the passkeys. */
function addressAt(domain: string): string {
  const address = new URL(location.href);
  address.hostname = domain;
  return address.href;
}

/** The first passkey needs the password, a further one a passkey that the user has. */
function AddPasskey({
  first,
  onDone,
}: {
  first: boolean;
  onDone: (failure: Failure | null, name: string) => Promise<void>;
}) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const { passwords } = useStore(signInWays);
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const add = async () => {
    setBusy(true);
    const failed = await addPasskey(name, first ? password : null);
    setBusy(false);
    setPassword('');
    if (!failed) setName('');
    await onDone(failed, name);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Stack gap="xs" maw={420} mt="sm">
        <TextInput
          required
          withAsterisk={false}
          label={t('admin.passkeys.name')}
          placeholder={t('admin.passkeys.example')}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {first && passwords && (
          <TextInput
            type="password"
            autoComplete="current-password"
            label={t('app.signIn.password')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        <Text size="sm" c="dimmed">
          {t(first ? 'admin.passkeys.first' : 'admin.passkeys.next')}
        </Text>
        <Group>
          <Button type="submit" size="sm" loading={busy}>
            {t('admin.passkeys.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
