// What each role may do and up to which amount, changing it, and the versions of the policy.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { AuthorityQuery } from '../../graphql/generated/graphql';
import { hasRole, usePerson } from '../../lib/session';
import type { ChangeRehearsalProps } from '../../ui/change-rehearsal';
import type { PolicyRehearsalsProps } from '../../ui/policy-rehearsals';
import { DoneNotice, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { Authority } from './authority.graphql';
import classes from './authority.module.css';
import { useCellWords } from './cell-words';
import { PolicyEditor } from './PolicyEditor';
import { PolicyMatrix } from './PolicyMatrix';
import { PolicySection } from './PolicySection';
import { withNextVersion } from './policy-text';
import { RoleDialog } from './RoleDialog';

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
  const [making, setMaking] = useState(false);
  const [notice, setNotice] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const reload = () => refetch({ requestPolicy: 'network-only' });
  return (
    <>
      <PageHeader
        title={t('titles.authority')}
        actions={
          administers && (
            <Button variant="default" onClick={() => setMaking(true)}>
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
          {data.policy && (
            <MatrixSection
              key={round}
              data={data}
              policy={data.policy}
              administers={administers}
              ChangeRehearsal={ChangeRehearsal}
              onLowered={(message) => {
                setNotice(message);
                reload();
              }}
              onStale={reload}
              onProposed={() => {
                setNotice(null);
                setRound(round + 1);
                reload();
              }}
            />
          )}
          <PolicySection
            key={`versions ${round}`}
            Rehearsals={Rehearsals}
            me={data.viewer?.person.id ?? null}
            administers={administers}
            onChanged={reload}
          />
          <RolesSection roles={data.roles} />
        </Stack>
      )}
      {making && (
        <RoleDialog
          onClose={() => setMaking(false)}
          onDone={(message) => {
            setNotice(message);
            setMaking(false);
            reload();
          }}
        />
      )}
    </>
  );
}

interface MatrixSectionProps {
  data: AuthorityQuery;
  policy: NonNullable<AuthorityQuery['policy']>;
  administers: boolean;
  ChangeRehearsal: ComponentType<ChangeRehearsalProps>;
  onLowered: (message: string) => void;
  onStale: () => void;
  onProposed: () => void;
}

function MatrixSection(props: MatrixSectionProps) {
  const { data, policy, administers, onLowered, onStale, onProposed, ChangeRehearsal } = props;
  const { t } = useTranslation();
  // The changed text; null while nothing is edited. It keeps the version on which it is based.
  const [draft, setDraft] = useState<{ text: string; base: number } | null>(null);
  const base = draft?.base ?? policy.version;
  const [initial, setInitial] = useState('');
  const edit = (text: string | null) => {
    const start = draft ? initial : withNextVersion(policy.document, policy.version + 1);
    if (!draft) setInitial(start);
    setDraft({ text: text ?? start, base });
  };
  return (
    <section className="cs-card" aria-labelledby="matrix">
      <Group justify="space-between" align="flex-start" mb="xs">
        <Title order={2} id="matrix">
          {t('authority.matrix.heading')}
        </Title>
        {administers && !draft && (
          <Button variant="default" onClick={() => edit(null)}>
            {t('authority.policy.change')}
          </Button>
        )}
      </Group>
      <PolicyMatrix
        // Another role or limit makes another matrix of the same text.
        key={JSON.stringify([data.roles.map(({ name }) => name), data.limits])}
        text={draft?.text ?? withNextVersion(policy.document, policy.version + 1)}
        terms={data.policyTerms.actions}
        roles={data.roles}
        limits={data.limits}
        onChange={administers ? edit : null}
      />
      {draft && (
        <PolicyEditor
          text={draft.text}
          initial={initial}
          base={draft.base}
          limits={data.limits}
          roles={data.roles}
          ChangeRehearsal={ChangeRehearsal}
          onChange={edit}
          onLowered={onLowered}
          onStale={onStale}
          onDone={onProposed}
          onClose={() => setDraft(null)}
        />
      )}
    </section>
  );
}

function RolesSection({ roles }: { roles: AuthorityQuery['roles'] }) {
  const { t } = useTranslation();
  const words = useCellWords();
  return (
    <section className="cs-card" aria-labelledby="roles">
      <Title order={2} id="roles" mb="xs">
        {t('authority.roles')}
      </Title>
      <table className={`cs-table ${classes.table}`} aria-labelledby="roles">
        <thead>
          <tr>
            <th>{t('authority.column.role')}</th>
            <th>{t('authority.role.description')}</th>
            <th>{t('authority.column.people')}</th>
          </tr>
        </thead>
        <tbody>
          {roles.map((role) => (
            <tr key={role.name}>
              <td className={classes.role}>
                <Text size="sm" fw={600} className="cs-lines2">
                  {words.role(role)}
                </Text>
                <Text size="xs" c="dimmed" className="cs-mono">
                  {role.name}
                </Text>
              </td>
              <td>{role.builtIn ? '' : role.description}</td>
              <td className={classes.count}>{t('authority.people', { count: role.people })}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
