// People and what they may do.
import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { hasRole, type Role, usePerson } from '../../lib/session';
import { Icon } from '../../ui/Icon';
import { DoneNotice, EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { Everybody } from './admin.graphql';
import { ConflictSheet } from './ConflictSheet';
import { PersonCard } from './PersonCard';
import { PersonSheet } from './PersonSheet';
import { found, type Person, roles } from './people';

export function PeoplePage() {
  const { t } = useTranslation();
  const me = usePerson();
  const administers = hasRole(me, 'administrator');
  const [text, setText] = useState('');
  const [role, setRole] = useState<string | null>(null);
  const [barring, setBarring] = useState<Person | null>(null);
  const [changing, setChanging] = useState<Person | 'new' | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const ask = (who: Person | 'new') => {
    setSaid(null);
    setChanging(who);
  };
  const [{ data, error }, again] = useQuery({
    query: Everybody,
    requestPolicy: 'cache-and-network',
  });
  const shown = found(data?.people ?? [], text, role);
  return (
    <>
      <PageHeader
        title={t('admin.title')}
        actions={
          administers && (
            <>
              <Link to="/admin/conflicts">{t('admin.conflicts.all')}</Link>
              <Button variant="default" onClick={() => ask('new')}>
                {t('admin.person.add')}
              </Button>
            </>
          )
        }
      >
        {t('admin.intro')}
      </PageHeader>
      <Group gap="sm" mb="sm" align="flex-end">
        <TextInput
          type="search"
          label={t('admin.search')}
          leftSection={<Icon name="search" />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          style={{ flex: '1 1 14rem' }}
        />
        <Select
          label={t('admin.role')}
          placeholder={t('admin.anyRole')}
          clearable
          clearButtonProps={{ 'aria-label': t('admin.anyRole') }}
          value={role}
          onChange={setRole}
          data={roles.map((one) => ({
            value: one,
            label: t(`app.roles.${one.toLowerCase() as Role}`),
          }))}
          style={{ flex: '0 1 14rem' }}
        />
      </Group>
      <DoneNotice message={said} mb="sm" />
      {error && !data && (
        <ErrorState error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={8} />}
      {data && shown.length === 0 && (
        <EmptyState icon="search" title={t('admin.nobody')}>
          {t('admin.nobodyHint')}
        </EmptyState>
      )}
      {shown.length > 0 && (
        <>
          <Text size="sm" c="dimmed" mb={6} role="status">
            {t('admin.count', { count: shown.length })}
          </Text>
          <ul
            className="cs-card"
            style={{ margin: 0, padding: '0 16px', listStyle: 'none' }}
            aria-label={t('admin.title')}
          >
            {shown.map((person) => (
              <PersonCard
                key={person.id}
                person={person}
                onChange={administers && person.email !== me?.email ? () => ask(person) : null}
                onBar={
                  administers
                    ? () => {
                        setSaid(null);
                        setBarring(person);
                      }
                    : null
                }
              />
            ))}
          </ul>
        </>
      )}
      {changing && (
        <PersonSheet
          before={changing === 'new' ? null : changing}
          onClose={() => setChanging(null)}
          onDone={(name) => {
            setSaid(t('admin.person.done', { name }));
            setChanging(null);
            again({ requestPolicy: 'network-only' });
          }}
        />
      )}
      {barring && (
        <ConflictSheet
          person={barring}
          onClose={() => setBarring(null)}
          onDone={(counterparty) => {
            setSaid(t('admin.conflict.declared', { name: barring.name, counterparty }));
            setBarring(null);
          }}
        />
      )}
    </>
  );
}
