// The roles with their permissions and limits, and the versions of the policy.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { AuthorityQuery } from '../../graphql/generated/graphql';
import { documentTypeLabels } from '../../lib/labels';
import { hasRole, usePerson } from '../../lib/session';
import type { ChangeRehearsalProps } from '../../ui/change-rehearsal';
import type { PolicyRehearsalsProps } from '../../ui/policy-rehearsals';
import { Badge } from '../../ui/StatusBadge';
import { DoneNotice, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { MoneyText } from '../../ui/values';
import { Authority } from './authority.graphql';
import classes from './authority.module.css';
import { LimitDialog } from './LimitDialog';
import { PolicySection } from './PolicySection';
import { type Limit, permissionsOf, type Rule } from './permissions';
import { RoleDialog } from './RoleDialog';

type Role = AuthorityQuery['roles'][number];
type OpenDialog = { kind: 'limit'; role: string } | { kind: 'role' } | null;

interface AuthorityPageProps {
  Rehearsals: ComponentType<PolicyRehearsalsProps>;
  ChangeRehearsal: ComponentType<ChangeRehearsalProps>;
}

export function AuthorityPage({ Rehearsals, ChangeRehearsal }: AuthorityPageProps) {
  const { t } = useTranslation();
  const administers = hasRole(usePerson(), 'administrator');
  const [{ data, error }, refetch] = useQuery({
    query: Authority,
    requestPolicy: 'cache-and-network',
  });
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const done = (message: string) => {
    setNotice(message);
    setDialog(null);
    reload();
  };
  const types = [
    ...new Set(
      (data?.processDefinitions.nodes ?? []).flatMap(({ documentTypes }) => documentTypes),
    ),
  ];
  return (
    <>
      <PageHeader
        title={t('titles.authority')}
        actions={
          administers && (
            <Button variant="default" onClick={() => setDialog({ kind: 'role' })}>
              {t('authority.role.make')}
            </Button>
          )
        }
      >
        {t('authority.intro')} <Link to="/admin/people">{t('authority.people')}</Link>
      </PageHeader>
      <DoneNotice message={notice} />
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !data && <LoadingState lines={10} />}
      {data && (
        <Stack gap="lg">
          <section aria-labelledby="roles">
            <Title order={2} id="roles" mb="xs">
              {t('authority.roles')}
            </Title>
            <div className="cs-card">
              <table className={`cs-table ${classes.table}`} aria-labelledby="roles">
                <thead>
                  <tr>
                    <th>{t('authority.column.role')}</th>
                    <th>{t('authority.column.powers')}</th>
                    <th>{t('authority.column.limits')}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.roles.map((role) => (
                    <RoleRow
                      key={role.name}
                      role={role}
                      rules={data.policy?.rules ?? []}
                      limits={data.limits.filter((limit) => limit.role === role.name)}
                      onLimit={
                        administers ? () => setDialog({ kind: 'limit', role: role.name }) : null
                      }
                    />
                  ))}
                </tbody>
              </table>
              <Text size="xs" c="dimmed" mt="xs" aria-hidden="true">
                * {t('authority.conditional')}
              </Text>
            </div>
          </section>
          <PolicySection
            Rehearsals={Rehearsals}
            me={data.viewer?.person.id ?? null}
            administers={administers}
            onChanged={reload}
          />
        </Stack>
      )}
      {dialog?.kind === 'limit' && (
        <LimitDialog
          role={dialog.role}
          types={types}
          limits={data?.limits.filter((limit) => limit.role === dialog.role) ?? []}
          onStale={reload}
          ChangeRehearsal={ChangeRehearsal}
          onClose={() => setDialog(null)}
          onDone={done}
        />
      )}
      {dialog?.kind === 'role' && <RoleDialog onClose={() => setDialog(null)} onDone={done} />}
    </>
  );
}

interface RoleRowProps {
  role: Role;
  rules: readonly Rule[];
  limits: readonly Limit[];
  /** Null if the user may not set limits. */
  onLimit: (() => void) | null;
}

function RoleRow({ role, rules, limits, onLimit }: RoleRowProps) {
  const { t } = useTranslation();
  const permissions = permissionsOf(rules, role.name);
  return (
    <tr>
      <td className={classes.role}>
        <Text size="sm" fw={600} className="cs-lines2">
          {role.builtIn
            ? t(`app.roles.${role.name}` as 'app.roles.manager', { defaultValue: role.name })
            : role.name}
        </Text>
        <Text size="xs" c="dimmed">
          <span className="cs-mono">{role.name}</span> ·{' '}
          {t('authority.people', { count: role.people })}
        </Text>
        {role.description && !role.builtIn && (
          <Text size="xs" className="cs-lines2">
            {role.description}
          </Text>
        )}
      </td>
      <td>
        <div className={classes.powers}>
          {permissions.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('authority.nothing')}
            </Text>
          )}
          {permissions.map(({ action, objects, conditional, denied }) => (
            <span key={`${action} ${denied}`} title={objects.join(', ')}>
              <Badge tone={denied ? 'bad' : 'calm'}>
                {t(`authority.action.${action}` as 'authority.action.read', {
                  defaultValue: action,
                })}
                {denied && ` (${t('authority.denied')})`}
                {conditional && (
                  <>
                    <span aria-hidden="true">*</span>
                    <span className="cs-visually-hidden"> ({t('authority.conditional')})</span>
                  </>
                )}
              </Badge>
            </span>
          ))}
        </div>
      </td>
      <td>
        {limits.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('authority.noLimit')}
          </Text>
        )}
        {limits.map((limit) => (
          <Text size="sm" key={limit.documentType} component="div">
            {limit.amount ? <MoneyText money={limit.amount} /> : t('authority.unlimited')}
            {limit.documentType !== '' && ` (${documentTypeLabels(t, [limit.documentType])})`}
          </Text>
        ))}
        {onLimit && (
          <Group mt={4}>
            <Button
              variant="default"
              size="compact-xs"
              aria-label={t('authority.limit.setOf', { role: role.name })}
              onClick={onLimit}
            >
              {t('authority.limit.set')}
            </Button>
          </Group>
        )}
      </td>
    </tr>
  );
}
