// The page of a process: a version as diagram, steps or text, its proposals and commands.
import { SegmentedControl } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { documentTypeLabels } from '../../lib/labels';
import { hasRole, usePerson } from '../../lib/session';
import { drawingOf } from '../../ui/graph/process';
import { ProcessDiagram } from '../../ui/ProcessDiagram';
import { EmptyState, ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { DownloadBpmn } from './DownloadBpmn';
import { OneProcess } from './definitions.graphql';
import classes from './definitions.module.css';
import { MoveCases } from './MoveCases';
import { Owners } from './Owners';
import { Proposals } from './Proposals';
import { type Definition, localizedName, outdatedCalls, proposedTitle } from './processes';
import { Steps } from './Steps';
import { VersionBar } from './VersionBar';

export function ProcessPage() {
  const { t, i18n } = useTranslation();
  const { key } = useParams({ from: '/signed-in/definitions/$key' });
  const { version } = useSearch({ from: '/signed-in/definitions/$key' });
  const navigate = useNavigate();
  const mayPropose = hasRole(usePerson(), 'administrator');
  const [{ data, error }, refetch] = useQuery({
    query: OneProcess,
    variables: { key },
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const versions = data?.processDefinitions.nodes ?? [];
  const selected = versions.find((one) => one.version === version) ?? versions[0];
  const proposals = data?.proposals.nodes ?? [];
  const texts = new Map(
    versions.flatMap((one) => (one.document ? [[one.version, one.document] as const] : [])),
  );
  if (!data) {
    return (
      <>
        <PageHeader title={key} />
        {error ? <ErrorState error={error} onRetry={reload} /> : <LoadingState lines={12} />}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={
          selected
            ? localizedName(selected.titles, i18n.language, selected.title)
            : (proposedTitle(proposals[0]?.document, i18n.language) ?? key)
        }
        actions={
          mayPropose && (
            <Link
              to="/definitions/$key/edit"
              params={{ key }}
              search={selected && !selected.newest ? { version: selected.version } : {}}
            >
              {t('definitions.editLink')}
            </Link>
          )
        }
      >
        <span className="cs-mono">{key}</span>
        {selected && selected.documentTypes.length > 0 && (
          <> · {t('definitions.for', { types: documentTypeLabels(t, selected.documentTypes) })}</>
        )}{' '}
        · <Link to="/definitions">{t('definitions.all')}</Link>
      </PageHeader>
      {!selected && proposals.length === 0 && (
        <EmptyState icon="flow" title={t('definitions.gone')}>
          {t('definitions.goneText')}
        </EmptyState>
      )}
      <div className={classes.stack}>
        <Proposals
          kind="process"
          proposals={proposals}
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
              kind="process"
              versions={versions}
              selected={selected}
              mayPropose={mayPropose}
              onChoose={(search) =>
                void navigate({ to: '/definitions/$key', params: { key }, search, replace: true })
              }
              onChanged={reload}
              older={t('definitions.older')}
            />
            {selected.document && <DownloadBpmn processKey={key} version={selected.version} />}
            <Version key={selected.version} selected={selected} />
          </section>
        )}
        {selected?.document && <Owners process={key} mayPropose={mayPropose} />}
        {mayPropose && selected?.newest && versions.length > 1 && (
          <MoveCases
            process={key}
            newest={selected.version}
            versions={versions.flatMap((one) => (one.newest ? [] : [one.version]))}
          />
        )}
      </div>
    </>
  );
}

const views = ['drawing', 'steps', 'text'] as const;
type View = (typeof views)[number];

function Version({ selected }: { selected: Definition }) {
  const { t, i18n } = useTranslation();
  const [view, setView] = useState<View>(selected.graph ? 'drawing' : 'steps');
  const diagram = useMemo(
    () =>
      selected.graph &&
      drawingOf(
        { ...selected.graph, attributes: selected.attributes },
        { t, language: i18n.language },
      ),
    [selected, t, i18n.language],
  );
  const availableViews = views.filter((one) =>
    one === 'drawing' ? diagram : one === 'text' ? selected.document : true,
  );
  return (
    <>
      {selected.newest &&
        outdatedCalls(selected).map(({ node, process, version, newestVersion }) => (
          <Notice key={node} tone="busy" icon="flow">
            {t('definitions.newerCalled', { process, version, newest: newestVersion })}
          </Notice>
        ))}
      {selected.understaffed.map((problem) => (
        <Notice key={problem.message} tone="warn" icon="people">
          {problem.message}
        </Notice>
      ))}
      <SegmentedControl
        aria-label={t('definitions.look.label')}
        size="sm"
        mb="sm"
        value={view}
        onChange={(value) => setView(value as View)}
        data={availableViews.map((one) => ({ value: one, label: t(`definitions.look.${one}`) }))}
      />
      {view === 'drawing' && diagram && (
        <ProcessDiagram
          diagram={diagram}
          label={t('definitions.picture', {
            title: localizedName(selected.titles, i18n.language, selected.title),
          })}
        />
      )}
      {view === 'steps' && <Steps nodes={selected.nodes} />}
      {view === 'text' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable
        <section className={classes.text} tabIndex={0} aria-label={t('definitions.look.text')}>
          <pre>{selected.document}</pre>
        </section>
      )}
    </>
  );
}
