// The frame of every page: navigation, connection state, language, theme and sign-out.
import {
  AppShell,
  Burger,
  Menu,
  ScrollArea,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation, useMatches, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useSubscription } from 'urql';
import { connectionState } from '../graphql/connection';
import { useOwnerTasks } from '../graphql/owner-tasks';
import { useToPublish } from '../graphql/to-publish';
import { languages, setLanguage } from '../i18n';
import { pageSubject } from '../lib/page-subject';
import { hasRole, type SignedInPerson, usePerson, useSignedIn } from '../lib/session';
import { useStore } from '../lib/store';
import { Icon } from '../ui/Icon';
import { Notice } from '../ui/states';
import classes from './app.module.css';
import { signOut } from './auth';
import { PaletteKey } from './PaletteKey';
import { SearchBox } from './SearchBox';
import { NotificationCounters } from './shell.graphql';
import { UndoSlot } from './UndoSlot';

export function Shell() {
  const { t } = useTranslation();
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const person = usePerson();
  const menu = useMenu(person);
  useWindowTitle();
  useFocusedHeading(pathname);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the menu
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{
        width: 216,
        breakpoint: 'sm',
        collapsed: { mobile: !opened, desktop: menu.hidden },
      }}
      padding={{ base: 'sm', sm: 'lg' }}
      transitionDuration={0}
    >
      <a href="#content" className="cs-skip">
        {t('app.skip')}
      </a>
      {/* Above the menu, which the list of the search box overlaps. */}
      <AppShell.Header zIndex={110}>
        <div className={classes.header}>
          <Burger
            opened={opened}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={t('app.nav.menu')}
            aria-expanded={opened}
          />
          <Burger
            opened={false}
            onClick={menu.toggle}
            visibleFrom="sm"
            size="sm"
            aria-label={t('app.nav.menu')}
            aria-expanded={!menu.hidden}
          />
          <Link to="/" className={classes.brand} aria-label={t('app.name')}>
            <img src="/mark.svg" width={26} height={26} alt="" />
            <span className={classes.brandName}>{t('app.name')}</span>
          </Link>
          <SearchBox />
          <PaletteKey />
          <div style={{ flex: 1 }} />
          <ConnectionIndicator />
          <Bell />
          <AccountMenu />
        </div>
      </AppShell.Header>
      <AppShell.Navbar
        p="xs"
        aria-label={t('app.nav.label')}
        className={classes.menu}
        data-hidden={menu.hidden || undefined}
      >
        <ScrollArea>
          <Navigation />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <div className={classes.page}>
          {person?.onlyAdministrator && (
            <Notice tone="warn" icon="alert">
              {t('app.onlyAdministrator')}
            </Notice>
          )}
          <Outlet />
        </div>
      </AppShell.Main>
      <UndoSlot />
    </AppShell>
  );
}

/**
 * Moves the focus to the heading after navigation, also to a heading that replaces it while the page loads.
 * Once the user has pressed a key or the pointer, the focus stays where it is.
 */
function useFocusedHeading(pathname: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation moves the focus
  useEffect(() => {
    const focus = () =>
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    focus();
    const observer = new MutationObserver(() => {
      if (document.activeElement === document.body) focus();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    const end = () => observer.disconnect();
    const used = new AbortController();
    for (const type of ['keydown', 'pointerdown'])
      window.addEventListener(type, end, { capture: true, signal: used.signal });
    return () => {
      end();
      used.abort();
    };
  }, [pathname]);
}

/** Whether the menu is hidden on wide screens, as the person chose. */
function useMenu(person: SignedInPerson | null) {
  const client = useClient();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const hidden = chosen ?? person?.settings?.hidden_menu === 1;
  const toggle = () => {
    setChosen(!hidden);
    import('../graphql/person-settings').then(
      (settings) => settings.keepPersonSetting(client, person, 'HIDDEN_MENU', hidden ? 0 : 1),
      () => undefined, // without a connection, it holds until the page is closed
    );
  };
  return { hidden, toggle };
}

/** Sets the title of the window to the subject and the title of the page. */
function useWindowTitle() {
  const { t } = useTranslation();
  const key = useMatches({ select: (matches) => matches.at(-1)?.staticData.title });
  const subject = useStore(pageSubject);
  const [title, name] = [key && t(key), t('app.name')];
  useEffect(() => {
    document.title = [subject, title, name].filter(Boolean).join(' · ');
    return () => {
      document.title = name;
    };
  }, [subject, title, name]);
}

function Navigation() {
  const { t } = useTranslation();
  const person = usePerson();
  const signedIn = useSignedIn();
  const [{ data }] = useSubscription({ query: NotificationCounters, pause: !signedIn });
  const counts = data?.notifications;
  const { tasks } = useOwnerTasks(counts?.unread);
  const toPublish = useToPublish(useLocation().pathname, counts?.unread);
  const { routesById } = useRouter();
  const entries = Object.values(routesById).flatMap(({ fullPath: to, options }) => {
    const { title, menu } = options.staticData ?? {};
    const shown = menu && (hasRole(person, ...menu.roles) || (menu.owners && tasks?.owner));
    return title && shown ? [{ to, title, menu }] : [];
  });
  return (
    <>
      {entries.map(({ to, title, menu }) => {
        const count = menu.owners
          ? (tasks?.nodes.length ?? 0)
          : menu.proposals
            ? (toPublish.get(menu.proposals) ?? 0)
            : counts && menu.count
              ? menu.count(counts)
              : 0;
        return (
          <Link key={to} to={to} className={classes.navLink}>
            <Icon name={menu.icon} />
            {t(title)}
            {count > 0 && (
              <span className={classes.count} data-tone={menu.warn ? 'warn' : 'calm'}>
                {count}
              </span>
            )}
          </Link>
        );
      })}
    </>
  );
}

/** The link to the notices, with the number of unread ones. */
function Bell() {
  const { t } = useTranslation();
  const signedIn = useSignedIn();
  const [{ data }] = useSubscription({ query: NotificationCounters, pause: !signedIn });
  const count = data?.notifications.unread ?? 0;
  const label =
    count > 0 ? `${t('titles.notices')}: ${t('app.unread', { count })}` : t('titles.notices');
  return (
    <Link to="/notices" className={classes.bell} aria-label={label} title={label}>
      <Icon name="bell" size={20} />
      {count > 0 && (
        <span className={classes.count} data-tone="warn">
          {count < 100 ? count : '99+'}
        </span>
      )}
    </Link>
  );
}

/** Shows whether the page receives live updates. Short interruptions are not shown. */
function ConnectionIndicator() {
  const { t } = useTranslation();
  const current = useStore(connectionState);
  const [shown, setShown] = useState(current);
  useEffect(() => {
    const timer = setTimeout(() => setShown(current), current === 'waiting' ? 700 : 0);
    return () => clearTimeout(timer);
  }, [current]);
  return (
    <span className={classes.connection} role="status" data-line={shown}>
      <span className={classes.dot} data-line={shown} aria-hidden="true" />
      <span className={classes.connectionText} data-line={shown}>
        {t(`app.line.${shown}`)}
      </span>
    </span>
  );
}

const appearances = [
  ['auto', 'half'],
  ['light', 'sun'],
  ['dark', 'moon'],
] as const;

function AccountMenu() {
  const { t, i18n } = useTranslation();
  const person = usePerson();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  if (!person) return null;
  return (
    <Menu position="bottom-end" width={260} shadow="md">
      <Menu.Target>
        <UnstyledButton
          aria-label={`${t('app.account')}: ${person.name}`}
          p={6}
          style={{ display: 'flex', gap: 8, alignItems: 'center', minWidth: 0 }}
        >
          <Icon name="person" size={20} />
          <Text size="sm" visibleFrom="sm" maw={180} className="cs-clip">
            {person.name}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" className="cs-lines2">
            {person.name}
          </Text>
          {person.roles.map((role) => t(`app.roles.${role}`)).join(', ')}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>{t('app.language')}</Menu.Label>
        {languages.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            leftSection={<Icon name={i18n.language === language ? 'check' : 'globe'} />}
            onClick={() => void setLanguage(language)}
          >
            {t(`app.languages.${language}`)}
          </Menu.Item>
        ))}
        <Menu.Label>{t('app.theme.label')}</Menu.Label>
        {appearances.map(([scheme, icon]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={colorScheme === scheme ? 'check' : icon} />}
            onClick={() => setColorScheme(scheme)}
          >
            {t(`app.theme.${scheme}`)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="person" />} component={Link} to="/account">
          {t('app.account')}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="out" />} onClick={() => void signOut()}>
          {t('app.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
