// The page of a document type: a version as fields or text, its proposals and commands.
import { SegmentedControl } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { hasRole, usePerson } from '../../lib/session';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import classes from './definitions.module.css';
import { FieldList } from './FieldList';
import { Proposals } from './Proposals';
import { localizedName, proposedTitle } from './processes';
import { OneDocumentType } from './types.graphql';
import { VersionBar } from './VersionBar';

export function DocumentTypePage() {
  const { t, i18n } = useTranslation();
  const { key } = useParams({ from: '/signed-in/types/$key' });
  const { version } = useSearch({ from: '/signed-in/types/$key' });
  const navigate = useNavigate();
  const mayPropose = hasRole(usePerson(), 'administrator');
  const [view, setView] = useState<'steps' | 'text'>('steps');
  const [{ data, error }, refetch] = useQuery({
    query: OneDocumentType,
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
  const versions = data.documentTypes.nodes;
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
              to="/types/$key/edit"
              params={{ key }}
              search={selected && !selected.newest ? { version: selected.version } : {}}
            >
              {t('definitions.editLink')}
            </Link>
          )
        }
      >
        <span className="cs-mono">{key}</span>
        <> · </>
        <Link to="/types">{t('definitions.types.all')}</Link>
      </PageHeader>
      {!selected && data.proposals.nodes.length === 0 && (
        <EmptyState icon="search" title={t('definitions.types.gone')}>
          {t('definitions.goneText')}
        </EmptyState>
      )}
      <div className={classes.stack}>
        <Proposals
          kind="types"
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
              kind="types"
              versions={versions}
              selected={selected}
              mayPropose={mayPropose}
              onChoose={(search) =>
                void navigate({ to: '/types/$key', params: { key }, search, replace: true })
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
                  { value: 'steps', label: t('definitions.types.list') },
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
              <FieldList fields={selected.fields} />
            )}
          </section>
        )}
      </div>
    </>
  );
}
