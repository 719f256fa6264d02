// Roles with what they may do and up to which amounts, and the policy that says so, with its versions.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { AuthorityQuery } from '../../graphql/generated/graphql';
import { hasRole, usePerson } from '../../lib/session';
import { documentTypeLabels } from '../../lib/words';
import { Badge } from '../../ui/StatusBadge';
import { DoneNotice, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { MoneyText } from '../../ui/values';
import { Authority } from './authority.graphql';
import classes from './authority.module.css';
import { LimitSheet } from './LimitSheet';
import { PolicyPart } from './PolicyPart';
import { type Limit, powersOf, type Rule } from './powers';
import { RoleSheet } from './RoleSheet';

type Role = AuthorityQuery['roles'][number];
type Asked = { sheet: 'limit'; role: string } | { sheet: 'role' } | null;

export function AuthorityPage() {
  const { t } = useTranslation();
  const administers = hasRole(usePerson(), 'administrator');
  const [{ data, error }, again] = useQuery({
    query: Authority,
    requestPolicy: 'cache-and-network',
  });
  const [asked, setAsked] = useState<Asked>(null);
  const [said, setSaid] = useState<string | null>(null);
  const reread = () => again({ requestPolicy: 'network-only' });
  const done = (words: string) => {
    setSaid(words);
    setAsked(null);
    reread();
  };
  const types = [
    ...new Set(
      (data?.processDefinitions.nodes ?? []).flatMap(({ documentTypes }) => documentTypes),
    ),
  ];
  return (
    <>
      <PageHeader
        title={t('authority.title')}
        actions={
          administers && (
            <Button variant="default" onClick={() => setAsked({ sheet: 'role' })}>
              {t('authority.role.make')}
            </Button>
          )
        }
      >
        {t('authority.intro')} <Link to="/admin/people">{t('app.nav.people')}</Link>
      </PageHeader>
      <DoneNotice message={said} />
      {error && !data && <ErrorState error={error} onRetry={reread} />}
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
                        administers ? () => setAsked({ sheet: 'limit', role: role.name }) : null
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
          <PolicyPart
            me={data.viewer?.person.id ?? null}
            administers={administers}
            onChanged={reread}
          />
        </Stack>
      )}
      {asked?.sheet === 'limit' && (
        <LimitSheet role={asked.role} types={types} onClose={() => setAsked(null)} onDone={done} />
      )}
      {asked?.sheet === 'role' && <RoleSheet onClose={() => setAsked(null)} onDone={done} />}
    </>
  );
}

interface RoleRowProps {
  role: Role;
  rules: readonly Rule[];
  limits: readonly Limit[];
  /** Null: one may not set limits. */
  onLimit: (() => void) | null;
}

function RoleRow({ role, rules, limits, onLimit }: RoleRowProps) {
  const { t } = useTranslation();
  const powers = powersOf(rules, role.name);
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
          {powers.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('authority.nothing')}
            </Text>
          )}
          {powers.map(({ action, objects, conditional, denied }) => (
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
