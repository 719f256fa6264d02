// The user's API access keys: create, show the secret once, revoke.
import {
  Button,
  Checkbox,
  Code,
  CopyButton,
  Group,
  Modal,
  NativeSelect,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { CreateApiTokenInput } from '../../graphql/generated/bounds';
import type { AccountQuery } from '../../graphql/generated/graphql';
import { sendThroughLoss } from '../../graphql/resend';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { Badge } from '../../ui/StatusBadge';
import { Notice, RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { CreateApiToken, RevokeApiToken } from './admin.graphql';
import classes from './admin.module.css';
import { isScope, scopes } from './scopes';

type Key = NonNullable<AccountQuery['viewer']>['apiTokens'][number];

export function AccessKeys({ keys, onChange }: { keys: readonly Key[]; onChange: () => void }) {
  const { t } = useTranslation();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const [{ data, error, fetching }, revoke] = useMutation(RevokeApiToken);
  const end = async (key: Key) => {
    await sendThroughLoss(() => revoke({ input: { tokenId: key.id } }));
    setRevoking(null);
    onChange();
  };
  return (
    <section className="cs-card" aria-labelledby="keys">
      <Title order={2} id="keys">
        {t('admin.keys.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('admin.keys.intro')}
      </Text>
      <RefusalAlert refusals={data?.revokeApiToken.userErrors ?? null} error={error} />
      {keys.length === 0 ? (
        <Text size="sm" my="xs">
          {t('admin.keys.none')}
        </Text>
      ) : (
        <ul className={classes.list} aria-labelledby="keys">
          {keys.map((key) => (
            <KeyRow key={key.id} of={key} onEnd={() => setRevoking(key)} />
          ))}
        </ul>
      )}
      <Button variant="default" size="sm" onClick={() => setCreating(true)}>
        {t('admin.keys.make')}
      </Button>
      {creating && <CreateKeyDialog onClose={() => setCreating(false)} onCreated={onChange} />}
      <ConfirmDialog
        opened={revoking !== null}
        title={t('admin.keys.revokeTitle', { name: revoking?.name ?? '' })}
        confirmLabel={t('admin.keys.revoke')}
        danger
        busy={fetching}
        onConfirm={() => revoking && void end(revoking)}
        onClose={() => setRevoking(null)}
      >
        {t('admin.keys.revokeText')}
      </ConfirmDialog>
    </section>
  );
}

function KeyRow({ of: key, onEnd }: { of: Key; onEnd: () => void }) {
  const { t } = useTranslation();
  const expired = key.expiresAt !== null && Date.parse(key.expiresAt) < Date.now();
  return (
    <li className={classes.item}>
      <span className={classes.long}>
        <b>{key.name}</b>{' '}
        {key.revokedAt ? (
          <Badge tone="calm" icon="cross">
            {t('admin.keys.revoked')}
          </Badge>
        ) : (
          expired && (
            <Badge tone="calm" icon="clock">
              {t('admin.keys.expired')}
            </Badge>
          )
        )}
        <Text size="xs" c="dimmed" component="div">
          {t('admin.keys.made')} <Timestamp iso={key.createdAt} as="moment" />
          {key.expiresAt && (
            <>
              {' · '}
              {t('admin.keys.until')} <Timestamp iso={key.expiresAt} as="moment" />
            </>
          )}
          {' · '}
          {key.lastUsed ? (
            <>
              {t('admin.keys.used')} <Timestamp iso={key.lastUsed} />
            </>
          ) : (
            t('admin.keys.unused')
          )}
          {key.requestsPerMinute !== null &&
            ` · ${t('admin.keys.requests', { count: key.requestsPerMinute })}`}
          {key.scopes.length > 0 &&
            ` · ${t('admin.keys.only', {
              scopes: key.scopes
                .map((scope) => (isScope(scope) ? t(`admin.keys.scopes.${scope}`) : scope))
                .join(', '),
            })}`}
        </Text>
      </span>
      {!key.revokedAt && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={onEnd}
          aria-label={t('admin.keys.revokeOne', { name: key.name })}
        >
          {t('admin.keys.revoke')}
        </Button>
      )}
    </li>
  );
}

const lifetimes = ['30', '90', '365', ''] as const;
const day = 86_400_000;

/** Asks for the name, scopes and lifetime of a new key, then shows its secret once. */
function CreateKeyDialog({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<string>('90');
  const [chosen, setChosen] = useState<string[]>([]);
  const [{ data, error, fetching }, create] = useMutation(CreateApiToken);
  const secret = data?.createApiToken.secret;
  const missingInput = name.trim() === '' ? t('admin.keys.nameFirst') : null;
  const send = async () => {
    if (missingInput || fetching) return;
    const expiresAt =
      lifetime === '' ? null : new Date(Date.now() + Number(lifetime) * day).toISOString();
    const result = await create({
      input: { name: name.trim(), scopes: chosen.length > 0 ? chosen : null, expiresAt },
    });
    if (result.data?.createApiToken.secret) onCreated();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={!secret}
      title={t('admin.keys.make')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      {secret ? (
        <Secret secret={secret} onClose={onClose} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <Stack>
            <TextInput
              data-autofocus
              required
              maxLength={CreateApiTokenInput.name}
              label={t('admin.keys.name')}
              placeholder={t('admin.keys.nameExample')}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NativeSelect
              label={t('admin.keys.span')}
              value={lifetime}
              onChange={(event) => setLifetime(event.currentTarget.value)}
              data={lifetimes.map((days) => ({
                value: days,
                label:
                  days === ''
                    ? t('admin.keys.forever')
                    : t('admin.keys.days', { count: Number(days) }),
              }))}
            />
            <Checkbox.Group
              label={t('admin.keys.scopes.title')}
              description={t('admin.keys.scopes.all')}
              value={chosen}
              onChange={setChosen}
            >
              <Stack gap={6} mt={6}>
                {scopes.map((scope) => (
                  <Checkbox key={scope} value={scope} label={t(`admin.keys.scopes.${scope}`)} />
                ))}
              </Stack>
            </Checkbox.Group>
            <RefusalAlert refusals={data?.createApiToken.userErrors ?? null} error={error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t('ui.cancel')}
              </Button>
              <ButtonWithReason
                disabledReason={missingInput}
                loading={fetching}
                onClick={() => void send()}
              >
                {t('admin.keys.confirm')}
              </ButtonWithReason>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Notice tone="warn" icon="alert" live>
        {t('admin.keys.once')}
      </Notice>
      <Code
        block
        className={classes.secret}
        aria-label={t('admin.keys.secret')}
        role="textbox"
        aria-readonly="true"
      >
        {secret}
      </Code>
      <Group justify="flex-end">
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={<Icon name={copied ? 'check' : 'files'} />}
            >
              {copied ? t('ui.copied') : t('ui.copy')}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>{t('admin.keys.kept')}</Button>
      </Group>
    </Stack>
  );
}
