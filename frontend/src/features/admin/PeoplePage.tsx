// The list of users with their permissions.
import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { hasRole, type Role, usePerson } from '../../lib/session';
import { Icon } from '../../ui/Icon';
import { DoneNotice, EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { AllPeople } from './admin.graphql';
import classes from './admin.module.css';
import { ConflictDialog } from './ConflictDialog';
import { PendingAccounts } from './PendingAccounts';
import { PersonCard } from './PersonCard';
import { PersonDialog } from './PersonDialog';
import { filterPeople, type Person, roles } from './people';
import { ResetSignInDialog } from './ResetSignInDialog';

export function PeoplePage() {
  const { t } = useTranslation();
  const me = usePerson();
  const administers = hasRole(me, 'administrator');
  const [text, setText] = useState('');
  const [role, setRole] = useState<string | null>(null);
  const [declaring, setDeclaring] = useState<Person | null>(null);
  const [resetting, setResetting] = useState<Person | null>(null);
  const [editing, setEditing] = useState<Person | 'new' | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const edit = (person: Person | 'new') => {
    setNotice(null);
    setEditing(person);
  };
  const [{ data, error }, refetch] = useQuery({
    query: AllPeople,
    requestPolicy: 'cache-and-network',
  });
  const shown = filterPeople(data?.people ?? [], text, role);
  return (
    <>
      <PageHeader
        title={t('titles.people')}
        actions={
          administers && (
            <>
              <Link to="/admin/conflicts">{t('admin.conflicts.all')}</Link>
              <Link to="/admin/controls">{t('admin.controls.all')}</Link>
              <Link to="/admin/memory">{t('admin.memory.open')}</Link>
              <Button variant="default" onClick={() => edit('new')}>
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
      <DoneNotice message={notice} mb="sm" />
      {administers && <PendingAccounts key={notice} />}
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={8} />}
      {data && shown.length === 0 && (
        <EmptyState icon="search" title={t('admin.noMatches')}>
          {t('admin.noMatchesHint')}
        </EmptyState>
      )}
      {shown.length > 0 && (
        <>
          <Text size="sm" c="dimmed" mb={6} role="status">
            {t('admin.count', { count: shown.length })}
          </Text>
          <ul className={`cs-card ${classes.people}`} aria-label={t('titles.people')}>
            {shown.map((person) => (
              <PersonCard
                key={person.id}
                person={person}
                onEdit={administers && person.email !== me?.email ? () => edit(person) : null}
                onResetSignIn={
                  administers && person.email !== me?.email
                    ? () => {
                        setNotice(null);
                        setResetting(person);
                      }
                    : null
                }
                onDeclareConflict={
                  administers
                    ? () => {
                        setNotice(null);
                        setDeclaring(person);
                      }
                    : null
                }
              />
            ))}
          </ul>
        </>
      )}
      {editing && (
        <PersonDialog
          existing={
            editing === 'new' ? null : (data?.people.find(({ id }) => id === editing.id) ?? editing)
          }
          onStale={() => refetch({ requestPolicy: 'network-only' })}
          onClose={() => setEditing(null)}
          onDone={(message) => {
            setNotice(message);
            setEditing(null);
            refetch({ requestPolicy: 'network-only' });
          }}
        />
      )}
      {resetting && (
        <ResetSignInDialog
          person={resetting}
          onClose={() => setResetting(null)}
          onDone={(message) => {
            setNotice(message);
            setResetting(null);
          }}
        />
      )}
      {declaring && (
        <ConflictDialog
          person={declaring}
          onClose={() => setDeclaring(null)}
          onDone={(counterparty) => {
            setNotice(t('admin.conflict.declared', { name: declaring.name, counterparty }));
            setDeclaring(null);
          }}
        />
      )}
    </>
  );
}
