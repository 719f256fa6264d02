// The page of a rule set: a version as rules or text, its proposals and commands.
import { SegmentedControl } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { hasRole, usePerson } from '../../lib/session';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import classes from './definitions.module.css';
import { Proposals } from './Proposals';
import { localizedName, proposedTitle } from './processes';
import { RuleList } from './RuleList';
import { ruleSetScope } from './RuleSetsPage';
import { OneRuleSet } from './rules.graphql';
import { VersionBar } from './VersionBar';

export function RuleSetPage() {
  const { t, i18n } = useTranslation();
  const { key } = useParams({ from: '/signed-in/rules/$key' });
  const { version } = useSearch({ from: '/signed-in/rules/$key' });
  const navigate = useNavigate();
  const mayPropose = hasRole(usePerson(), 'administrator');
  const [view, setView] = useState<'steps' | 'text'>('steps');
  const [{ data, error }, refetch] = useQuery({
    query: OneRuleSet,
    variables: { key },
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  if (!data) {
    return (
      <>
        <PageHeader title={key} />
        {error ? <ErrorState error={error} onRetry={reload} /> : <LoadingState lines={12} />}
      </>
    );
  }
  const versions = data.ruleSets.nodes;
  const selected = versions.find((one) => one.version === version) ?? versions[0];
  const texts = new Map(
    versions.flatMap((one) => (one.document ? [[one.version, one.document] as const] : [])),
  );
  return (
    <>
      <PageHeader
        title={
          selected
            ? localizedName(selected.titles, i18n.language, selected.title)
            : (proposedTitle(data.proposals.nodes[0]?.document, i18n.language) ?? key)
        }
        actions={
          mayPropose && (
            <Link
              to="/rules/$key/edit"
              params={{ key }}
              search={selected && !selected.newest ? { version: selected.version } : {}}
            >
              {t('definitions.editLink')}
            </Link>
          )
        }
      >
        <span className="cs-mono">{key}</span>
        {selected && <> · {ruleSetScope(t, selected.documentTypes)}</>} ·{' '}
        <Link to="/rules">{t('definitions.rules.all')}</Link>
      </PageHeader>
      {!selected && data.proposals.nodes.length === 0 && (
        <EmptyState icon="search" title={t('definitions.rules.gone')}>
          {t('definitions.goneText')}
        </EmptyState>
      )}
      <div className={classes.stack}>
        <Proposals
          kind="rules"
          proposals={data.proposals.nodes}
          texts={texts}
          me={data.viewer?.person.id ?? null}
          onChanged={reload}
        />
        {selected && (
          <section
            className="cs-card"
            aria-label={t('definitions.version', { version: selected.version })}
          >
            <VersionBar
              kind="rules"
              versions={versions}
              selected={selected}
              mayPropose={mayPropose}
              onChoose={(search) =>
                void navigate({ to: '/rules/$key', params: { key }, search, replace: true })
              }
              onChanged={reload}
            />
            {selected.document && (
              <SegmentedControl
                aria-label={t('definitions.look.label')}
                size="sm"
                mb="sm"
                value={view}
                onChange={(value) => setView(value as 'steps' | 'text')}
                data={[
                  { value: 'steps', label: t('definitions.rules.list') },
                  { value: 'text', label: t('definitions.look.text') },
                ]}
              />
            )}
            {view === 'text' && selected.document ? (
              <section
                className={classes.text}
                // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable
                tabIndex={0}
                aria-label={t('definitions.look.text')}
              >
                <pre>{selected.document}</pre>
              </section>
            ) : (
              <RuleList rules={selected.rules} />
            )}
          </section>
        )}
      </div>
    </>
  );
}
