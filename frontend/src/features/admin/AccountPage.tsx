// The user's own account: profile, passkeys, password, conflicts of interest, bank accounts and access keys.
import { Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { AccountQuery } from '../../graphql/generated/graphql';
import { queueLabels } from '../../lib/labels';
import type { Role } from '../../lib/session';
import { DoneNotice, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { AccessKeys } from './AccessKeys';
import { Account } from './admin.graphql';
import classes from './admin.module.css';
import { ConflictDialog } from './ConflictDialog';
import { Limits } from './Limits';
import { OwnAccounts } from './OwnAccounts';
import { OwnPassword } from './OwnPassword';
import { Passkeys } from './Passkeys';

type Viewer = NonNullable<AccountQuery['viewer']>;

export function AccountPage() {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: Account,
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const viewer = data?.viewer;
  return (
    <>
      <PageHeader title={t('titles.account')}>{t('admin.account.intro')}</PageHeader>
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !data && <LoadingState lines={8} />}
      {viewer && (
        <Stack gap="lg">
          <Profile viewer={viewer} />
          <Passkeys />
          <OwnPassword />
          <Conflicts conflicts={viewer.conflicts} onChange={reload} />
          <OwnAccounts accounts={viewer.ownAccounts} onChange={reload} />
          <AccessKeys keys={viewer.apiTokens} onChange={reload} />
        </Stack>
      )}
    </>
  );
}

function Profile({ viewer: { person } }: { viewer: Viewer }) {
  const { t } = useTranslation();
  return (
    <section className="cs-card" aria-label={t('admin.account.me')}>
      <Text fw={600} className={classes.long}>
        {person.name}
      </Text>
      <Text size="sm" c="dimmed" className={classes.long}>
        {person.email}
      </Text>
      <Text size="sm" mt={6}>
        {person.roles.map((role) => t(`app.roles.${role.toLowerCase() as Role}`)).join(', ')}
      </Text>
      {person.queues.length > 0 && (
        <Text size="sm">{t('admin.queues', { queues: queueLabels(t, person.queues) })}</Text>
      )}
      <Limits limits={person.limits} />
      <Text size="xs" c="dimmed" mt={6}>
        {t('admin.account.changed')}
      </Text>
    </section>
  );
}

function Conflicts({
  conflicts,
  onChange,
}: {
  conflicts: Viewer['conflicts'];
  onChange: () => void;
}) {
  const { t } = useTranslation();
  const [declaring, setDeclaring] = useState(false);
  const [notice, setNotice] = useState<string | null>(null);
  return (
    <section className="cs-card" aria-labelledby="conflicts">
      <Title order={2} id="conflicts">
        {t('titles.conflicts')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('admin.conflicts.intro')}
      </Text>
      <DoneNotice message={notice} mb={0} />
      {conflicts.length === 0 ? (
        <Text size="sm" my="xs">
          {t('admin.conflicts.none')}
        </Text>
      ) : (
        <ul className={classes.list}>
          {conflicts.map((conflict) => (
            <li key={conflict.id} className={classes.item}>
              <span className={classes.long}>
                <b>{conflict.counterparty}</b> · {conflict.reason}
              </span>
              <Text size="xs" c="dimmed" component="span">
                {t('admin.conflicts.since')} <Timestamp iso={conflict.createdAt} as="moment" />
              </Text>
            </li>
          ))}
        </ul>
      )}
      <Button variant="default" size="sm" onClick={() => setDeclaring(true)}>
        {t('admin.conflicts.declare')}
      </Button>
      {declaring && (
        <ConflictDialog
          person={null}
          onClose={() => setDeclaring(false)}
          onDone={(counterparty) => {
            setDeclaring(false);
            setNotice(t('admin.conflicts.declared', { counterparty }));
            onChange();
          }}
        />
      )}
    </section>
  );
}
