// The command palette: goes to pages and cases, and does what the present page offers. It calls the
// same functions as the buttons and keys, so it can do nothing that they cannot.
import '@mantine/spotlight/styles.css';
import { Kbd, Text } from '@mantine/core';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { pageActions } from '../../lib/page-actions';
import { isReference } from '../../lib/reference';
import { maxQuery } from '../../lib/search-query';
import { addressOf, inBarOrder, type View } from '../../lib/view-address';
import { counterpartyText } from '../../ui/Counterparty';
import { Icon } from '../../ui/Icon';
import { StatusBadge } from '../../ui/StatusBadge';
import { begins, matching, type PaletteEntry } from './entries';
import { PaletteCases, PaletteViews } from './palette.graphql';
import classes from './palette.module.css';
import { shownActions } from './shown-actions';

const searchDelay = 200;
/** The shortest query that searches cases. */
const shortest = 2;
const shownCases = 6;
const groups = ['page', 'views', 'go'] as const;

export interface PaletteProps {
  pages: readonly { to: string; title: string }[];
  onClose: () => void;
}

export function Palette({ pages, onClose }: PaletteProps) {
  const { t } = useTranslation();
  const [[store, spotlight]] = useState(createSpotlight);
  const [query, setQuery] = useState('');
  useEffect(() => spotlight.open(), [spotlight]);
  /** The palette closes before the action, which may open a dialog or use the keys. */
  const run = (action: () => void) => {
    onClose();
    setTimeout(action);
  };
  const entries = useEntries(pages);
  const words = query.trim();
  /** The groups in which an entry begins with the words: they are above the cases. */
  const named = groups.filter((group) => {
    const [best] = matching(entries[group], words);
    return words !== '' && best !== undefined && begins(best, words);
  });
  const section = (group: (typeof groups)[number]) => (
    <PaletteGroup
      key={group}
      label={t(`palette.${group}`)}
      entries={matching(entries[group], words)}
      run={run}
    />
  );
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      transitionProps={{ duration: 0 }}
      scrollable
      maxHeight="min(70vh, 34rem)"
      attributes={{ content: { 'aria-label': t('palette.title') } }}
    >
      <Spotlight.Search
        aria-label={t('palette.title')}
        placeholder={t('palette.placeholder')}
        maxLength={maxQuery}
        leftSection={<Icon name="search" size={18} />}
        onKeyDown={enterFirst}
      />
      <Spotlight.ActionsList>
        {named.map(section)}
        <Cases words={words} run={run} />
        {groups.filter((group) => !named.includes(group)).map(section)}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

interface PaletteGroupProps {
  label: string;
  entries: readonly PaletteEntry[];
  run: (action: () => void) => void;
}

function PaletteGroup({ label, entries, run }: PaletteGroupProps) {
  if (entries.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={label}>
      {entries.map((entry) => (
        <Spotlight.Action key={entry.id} onClick={() => run(entry.run)}>
          <span className={classes.entry}>
            {entry.label}
            {entry.keys && <Kbd size="xs">{entry.keys}</Kbd>}
          </span>
        </Spotlight.Action>
      ))}
    </Spotlight.ActionsGroup>
  );
}

/** Enter without a selected entry takes the first one. */
function enterFirst(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
  const palette = event.currentTarget.closest('[role="dialog"]');
  if (!palette?.querySelector('[data-selected]'))
    palette?.querySelector<HTMLElement>('[data-action]')?.click();
}

/** The actions of the page as they are now, the saved views and the pages. */
function useEntries(pages: PaletteProps['pages']): {
  [group in (typeof groups)[number]]: PaletteEntry[];
} {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [actions] = useState(() => pageActions.get()());
  const [shown] = useState(() => {
    const keyed = new Set(actions.map(({ label }) => label));
    return shownActions().filter(({ label }) => !keyed.has(label));
  });
  const [{ data }] = useQuery({ query: PaletteViews, requestPolicy: 'cache-and-network' });
  const viewsOf = (to: '/cases' | '/queue', views: readonly View[] = []) =>
    inBarOrder(views).map((view) => ({
      id: view.id,
      label: t('palette.view', {
        list: t(to === '/cases' ? 'titles.cases' : 'titles.queue'),
        name: view.name,
      }),
      name: view.name,
      run: () => void navigate({ to, search: addressOf(view) }),
    }));
  return {
    views: [...viewsOf('/cases', data?.cases), ...viewsOf('/queue', data?.queue)],
    page: [
      ...actions.map(({ keys, label, run }) => ({ id: `page ${keys}`, label, keys, run })),
      ...shown.map(({ label, run }, index) => ({ id: `shown ${index}`, label, run })),
    ],
    go: pages.map(({ to, title }) => ({
      id: to,
      label: t(title as 'titles.cases'),
      run: () => void navigate({ to }),
    })),
  };
}

/** The case of a reference, and cases in which the words occur. */
function Cases({ words, run }: { words: string; run: (action: () => void) => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQuery(words), searchDelay);
    return () => clearTimeout(timer);
  }, [words]);
  const [{ data }] = useQuery({
    query: PaletteCases,
    variables: { query, first: shownCases },
    requestPolicy: 'network-only',
    pause: query.length < shortest,
  });
  if (words.length < shortest) return null;
  const open = (id: string) => run(() => void navigate({ to: '/cases/$id', params: { id } }));
  const reference = isReference(words) ? words.toUpperCase() : null;
  const hits = query === words ? (data?.search.nodes ?? []) : [];
  return (
    <Spotlight.ActionsGroup label={t('titles.cases')}>
      {reference && (
        <Spotlight.Action onClick={() => open(reference)}>
          {t('palette.open', { reference })}
        </Spotlight.Action>
      )}
      {hits
        .filter((hit) => hit.case.reference !== reference)
        .map((hit) => (
          <Spotlight.Action key={hit.case.id} onClick={() => open(hit.case.reference)}>
            <span className={classes.entry}>
              <Text span size="sm" className="cs-clip">
                {hit.case.reference} ·{' '}
                {counterpartyText(t, hit.case) || hit.case.document?.fileName}
              </Text>
              <StatusBadge status={hit.case.status} />
            </span>
          </Spotlight.Action>
        ))}
      <Spotlight.Action
        onClick={() => run(() => void navigate({ to: '/search', search: { q: words } }))}
      >
        {t('palette.search', { words })}
      </Spotlight.Action>
    </Spotlight.ActionsGroup>
  );
}
