// The search box of the header. "/" focuses it, a list of hits appears while the user types, and Enter opens
// the page of results.
import { ActionIcon, TextInput } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ComponentType, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { SearchListProps } from '../features/search/SearchList';
import { isSearchKey, moved, searchKey } from '../lib/page-keys';
import { maxQuery } from '../lib/search-query';
import { Icon } from '../ui/Icon';
import classes from './app.module.css';
import { loadSearchList } from './search-list';

const listId = 'search-hits';
const searchDelay = 250;

export function SearchBox() {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  /** Whether the box is shown on a phone, where a button opens it. */
  const [opened, setOpened] = useState(false);
  const box = useSearchBox(() => {
    setOpened(false);
    input.current?.blur();
  });
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      if (!isSearchKey(event)) return;
      event.preventDefault();
      flushSync(() => setOpened(true)); // a hidden box cannot be focused
      input.current?.focus();
      input.current?.select();
    };
    window.addEventListener('keydown', focus);
    return () => window.removeEventListener('keydown', focus);
  }, []);
  const { List, query, options, active } = box;
  return (
    <>
      <search
        aria-label={t('app.search.label')}
        className={classes.search}
        data-opened={opened || undefined}
        onBlur={(event) => {
          if (event.currentTarget.contains(event.relatedTarget)) return;
          box.hide();
          setOpened(false);
        }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            box.submit();
          }}
        >
          <TextInput
            ref={input}
            type="search"
            role="combobox"
            autoComplete="off"
            spellCheck={false}
            aria-label={t('app.search.label')}
            aria-autocomplete="list"
            aria-keyshortcuts={searchKey}
            aria-expanded={options.length > 0}
            aria-controls={options.length > 0 ? listId : undefined}
            aria-activedescendant={active ?? undefined}
            placeholder={t('app.search.placeholder')}
            leftSection={<Icon name="search" size={16} />}
            rightSection={<kbd>{searchKey}</kbd>}
            rightSectionProps={{ 'aria-hidden': true }}
            maxLength={maxQuery}
            value={box.text}
            onFocus={box.load}
            onChange={(event) => box.type(event.currentTarget.value)}
            onKeyDown={box.onKeyDown}
          />
        </form>
        {query !== '' && (
          // biome-ignore lint/a11y/noStaticElementInteractions: keeps the focus in the box
          <div className={classes.searchList} onMouseDown={(event) => event.preventDefault()}>
            {List === 'failed' && (
              <output className={classes.searchFailed}>{t('ui.network')}</output>
            )}
            {List && List !== 'failed' && (
              <List
                key={query}
                query={query}
                listId={listId}
                active={active}
                onOptions={box.setOptions}
                onPick={box.clear}
              />
            )}
          </div>
        )}
      </search>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        aria-label={t('app.search.open')}
        aria-expanded={opened}
        onClick={() => {
          flushSync(() => setOpened(true));
          input.current?.focus();
        }}
      >
        <Icon name="search" size={20} />
      </ActionIcon>
    </>
  );
}

/** The state of the box: what is typed, what is searched after a pause, and the active option. */
function useSearchBox(close: () => void) {
  const navigate = useNavigate();
  const shown = useLocation({ select: ({ pathname, search }) => wordsIn(pathname, search) });
  const [shownBefore, setShownBefore] = useState(shown);
  const [text, setText] = useState(shown);
  const [query, setQuery] = useState('');
  const [typed, setTyped] = useState(false);
  const [options, setOptions] = useState<readonly string[]>([]);
  const [active, setActive] = useState<string | null>(null);
  const [List, setList] = useState<ComponentType<SearchListProps> | 'failed' | null>(null);
  if (shown !== shownBefore) {
    setShownBefore(shown);
    setText(shown);
  }
  useEffect(() => {
    if (!typed) return;
    const timer = setTimeout(() => setQuery(text.trim()), searchDelay);
    return () => clearTimeout(timer);
  }, [typed, text]);
  const load = () => {
    if (List && List !== 'failed') return;
    loadSearchList().then(
      (loaded) => setList(() => loaded),
      () => setList('failed'),
    );
  };
  const hide = () => {
    setTyped(false);
    setQuery('');
    setActive(null);
  };
  const clear = () => {
    hide();
    setText(shown);
    close();
  };
  const submit = () => {
    const q = text.trim();
    hide();
    if (q === '') return;
    close();
    void navigate({ to: '/search', search: { q } });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter and the arrows choose a character while an input method is composing.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (text !== '') setTyped(true);
      setActive(moved(options, active, event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter' && active !== null) {
      event.preventDefault();
      document.getElementById(active)?.click();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      if (query === '') close();
      hide();
    }
  };
  const type = (value: string) => {
    load();
    setText(value);
    setTyped(true);
    setActive(null);
  };
  return {
    List,
    text,
    query,
    options,
    active,
    setOptions,
    load,
    hide,
    clear,
    submit,
    type,
    onKeyDown,
  };
}

/** The words that the page of results shows. */
function wordsIn(pathname: string, search: object): string {
  return pathname === '/search' && 'q' in search ? String(search.q) : '';
}
