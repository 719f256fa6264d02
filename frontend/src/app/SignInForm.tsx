// The sign-in form, used by the sign-in page and by the dialog for an ended session.
import {
  Button,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureMessage } from '../lib/labels';
import type { Failure } from '../lib/refusals';
import { passkeyDomain, type Role, signInWays } from '../lib/session';
import { useStore } from '../lib/store';
import { Notice } from '../ui/states';
import classes from './app.module.css';
import { type DemoPerson, demoPeople, signIn, signInWithPasskey } from './auth';

interface SignInFormProps {
  /** A given address cannot be changed. */
  email?: string;
  /** The page to which a provider returns; the present one if missing. */
  back?: string;
  /** Called after a successful sign-in. */
  onDone: () => void;
}

export function SignInForm({ email: fixed, back, onDone }: SignInFormProps) {
  const { t, i18n } = useTranslation();
  const people = useStore(demoPeople);
  const domain = useStore(passkeyDomain);
  const { passwords, providers } = useStore(signInWays);
  const [email, setEmail] = useState(fixed ?? '');
  const [password, setPassword] = useState('');
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);

  const passkeys = domain === location.hostname && 'PublicKeyCredential' in window;
  const send = (address: string, secret: string) => begin(() => signIn(address, secret));
  const begin = async (enter: () => Promise<Failure | null>) => {
    setSending(true);
    setFailure(null);
    const failed = await enter();
    setSending(false);
    if (failed) setFailure(failed);
    else onDone();
  };
  const text = failure && failureMessage(t, i18n.language, failure);
  const offered = fixed ? people.filter((person) => person.email === fixed) : people;
  return (
    <Stack>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(email, password);
        }}
      >
        <Stack>
          {passwords && (
            <>
              <TextInput
                type="email"
                name="email"
                autoComplete="username"
                label={t('app.signIn.email')}
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
                required
                withAsterisk={false}
                readOnly={fixed !== undefined}
                autoFocus={fixed === undefined}
              />
              <PasswordInput
                name="password"
                autoComplete="current-password"
                label={t('app.signIn.password')}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                required
                withAsterisk={false}
                autoFocus={fixed !== undefined}
              />
            </>
          )}
          {text && (
            <div role="alert">
              <Notice tone="bad" icon="alert">
                <Text size="sm" fw={600}>
                  {text.message}
                </Text>
                <Text size="sm">{text.hint}</Text>
              </Notice>
            </div>
          )}
          {passwords && (
            <Button type="submit" loading={sending}>
              {t('app.signIn.submit')}
            </Button>
          )}
          {providers.map(({ name, label }) => (
            <Button
              key={name}
              component="a"
              variant={passwords ? 'default' : 'filled'}
              href={`/auth/oidc/${name}/start?return=${encodeURIComponent(back ?? location.pathname + location.search)}`}
            >
              {label}
            </Button>
          ))}
          {passkeys && (
            <Button
              variant="default"
              disabled={sending}
              onClick={() => void begin(signInWithPasskey)}
            >
              {t('app.signIn.passkey')}
            </Button>
          )}
        </Stack>
      </form>
      {offered.length > 0 && (
        <DemoPeople
          people={offered}
          disabled={sending}
          onChoose={(person) => void send(person.email, person.password)}
        />
      )}
    </Stack>
  );
}

function DemoPeople({
  people,
  disabled,
  onChoose,
}: {
  people: readonly DemoPerson[];
  disabled: boolean;
  onChoose: (person: DemoPerson) => void;
}) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="demo-people">
      <Text id="demo-people" fw={600} size="sm">
        {t('app.signIn.demo')}
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        {t('app.signIn.demoHint')}
      </Text>
      <div className={classes.people}>
        {people.map((person) => (
          <UnstyledButton
            key={person.email}
            className={classes.demoPerson}
            disabled={disabled}
            onClick={() => onChoose(person)}
          >
            <Group gap={0} wrap="nowrap" justify="space-between">
              <Text size="sm" fw={560} className="cs-clip">
                {person.name}
              </Text>
            </Group>
            <Text size="xs" c="dimmed">
              {person.roles
                .map((role) => t(`app.roles.${role as Role}`, { defaultValue: role }))
                .join(', ')}
            </Text>
          </UnstyledButton>
        ))}
      </div>
    </section>
  );
}
