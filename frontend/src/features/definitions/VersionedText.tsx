// The page of a rule set or a document type: a version as a list or text, its proposals and commands.
import { SegmentedControl } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { hasRole, usePerson } from '../../lib/session';
import { EmptyState, PageHeader } from '../../ui/states';
import classes from './definitions.module.css';
import { Proposals } from './Proposals';
import { localizedName, type Proposal, proposedTitle } from './processes';
import { VersionBar, type VersionBarProps } from './VersionBar';

type Version = VersionBarProps['selected'] & {
  title: string;
  titles: Parameters<typeof localizedName>[0];
  document: string | null;
};

interface VersionedTextProps<V extends Version> {
  kind: 'rules' | 'types';
  definitionKey: string;
  /** The newest first. */
  versions: readonly V[];
  /** The version of the address; the newest one without it. */
  version: number | undefined;
  proposals: readonly Proposal[];
  me: string | null;
  onChanged: () => void;
  /** What follows the key in the header. */
  about?: (version: V) => ReactNode;
  /** The version as a list. */
  list: (version: V) => ReactNode;
}

const addresses = {
  rules: { all: '/rules', page: '/rules/$key', edit: '/rules/$key/edit' },
  types: { all: '/types', page: '/types/$key', edit: '/types/$key/edit' },
} as const;

export function VersionedText<V extends Version>({
  kind,
  definitionKey: key,
  versions,
  version,
  proposals,
  me,
  onChanged,
  about,
  list,
}: VersionedTextProps<V>) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const mayPropose = hasRole(usePerson(), 'administrator');
  const [view, setView] = useState<'list' | 'text'>('list');
  const to = addresses[kind];
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
            : (proposedTitle(proposals[0]?.document, i18n.language) ?? key)
        }
        actions={
          mayPropose && (
            <Link
              to={to.edit}
              params={{ key }}
              search={selected && !selected.newest ? { version: selected.version } : {}}
            >
              {t('definitions.editLink')}
            </Link>
          )
        }
      >
        <span className="cs-mono">{key}</span>
        {selected && about && <> · {about(selected)}</>} ·{' '}
        <Link to={to.all}>{t(`definitions.${kind}.all`)}</Link>
      </PageHeader>
      {!selected && proposals.length === 0 && (
        <EmptyState icon="search" title={t(`definitions.${kind}.gone`)}>
          {t('definitions.goneText')}
        </EmptyState>
      )}
      <div className={classes.stack}>
        <Proposals kind={kind} proposals={proposals} texts={texts} me={me} onChanged={onChanged} />
        {selected && (
          <section
            className="cs-card"
            aria-label={t('definitions.version', { version: selected.version })}
          >
            <VersionBar
              kind={kind}
              versions={versions}
              selected={selected}
              mayPropose={mayPropose}
              onChoose={(search) =>
                void navigate({ to: to.page, params: { key }, search, replace: true })
              }
              onChanged={onChanged}
            />
            {selected.document && (
              <SegmentedControl
                aria-label={t('definitions.look.label')}
                size="sm"
                mb="sm"
                value={view}
                onChange={(value) => setView(value as 'list' | 'text')}
                data={[
                  { value: 'list', label: t(`definitions.${kind}.list`) },
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
              list(selected)
            )}
          </section>
        )}
      </div>
    </>
  );
}
