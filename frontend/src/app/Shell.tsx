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
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSubscription } from 'urql';
import { connectionState } from '../graphql/connection';
import { languages, setLanguage } from '../i18n';
import { hasRole, type Role, reviewerRoles, usePerson, useSignedIn } from '../lib/session';
import { useStore } from '../lib/store';
import { Icon, type IconName } from '../ui/Icon';
import classes from './app.module.css';
import { signOut } from './auth';
import { Waiting } from './shell.graphql';

interface Counts {
  available: number;
  mine: number;
  incidents: number;
  overdue: number;
  atRisk: number;
}

interface NavItem {
  to:
    | '/intake'
    | '/cases'
    | '/queue'
    | '/manage'
    | '/incidents'
    | '/admin/people'
    | '/audit'
    | '/definitions'
    | '/rules'
    | '/delegations'
    | '/admin/authority'
    | '/admin/queues';
  labelKey:
    | 'intake'
    | 'cases'
    | 'queue'
    | 'manage'
    | 'incidents'
    | 'people'
    | 'audit'
    | 'definitions'
    | 'rules'
    | 'delegations'
    | 'authority'
    | 'queues';
  icon: IconName;
  roles: Role[];
  count?: (counts: Counts) => number;
  warn?: boolean;
}

const navItems: NavItem[] = [
  { to: '/intake', labelKey: 'intake', icon: 'upload', roles: ['submitter'] },
  {
    to: '/manage',
    labelKey: 'manage',
    icon: 'clock',
    roles: ['manager'],
    count: (counts) => counts.overdue + counts.atRisk,
    warn: true,
  },
  {
    to: '/queue',
    labelKey: 'queue',
    icon: 'inbox',
    roles: reviewerRoles,
    count: (counts) => counts.available + counts.mine,
  },
  {
    to: '/cases',
    labelKey: 'cases',
    icon: 'files',
    roles: ['submitter', ...reviewerRoles, 'auditor'],
  },
  {
    to: '/incidents',
    labelKey: 'incidents',
    icon: 'alert',
    roles: ['submitter', 'manager'],
    count: (counts) => counts.incidents,
    warn: true,
  },
  { to: '/admin/people', labelKey: 'people', icon: 'people', roles: ['administrator', 'auditor'] },
  {
    to: '/admin/authority',
    labelKey: 'authority',
    icon: 'gear',
    roles: ['administrator', 'auditor'],
  },
  { to: '/admin/queues', labelKey: 'queues', icon: 'inbox', roles: ['manager', 'administrator'] },
  {
    to: '/audit',
    labelKey: 'audit',
    icon: 'shield',
    roles: ['auditor', 'manager', 'administrator'],
  },
  {
    to: '/definitions',
    labelKey: 'definitions',
    icon: 'flow',
    roles: ['administrator', 'manager', 'auditor'],
  },
  { to: '/rules', labelKey: 'rules', icon: 'pen', roles: ['administrator', 'manager', 'auditor'] },
  {
    to: '/delegations',
    labelKey: 'delegations',
    icon: 'link',
    roles: [...reviewerRoles, 'administrator'],
  },
];

export function Shell() {
  const { t } = useTranslation();
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the menu and moves the focus
  useEffect(() => {
    close();
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [pathname, close]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a href="#content" className="cs-skip">
        {t('app.skip')}
      </a>
      <AppShell.Header>
        <div className={classes.header}>
          <Burger
            opened={opened}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={t('app.nav.menu')}
            aria-expanded={opened}
          />
          <Link to="/" className={classes.brand} aria-label={t('app.name')}>
            <img src="/mark.svg" width={26} height={26} alt="" />
            <span className={classes.brandName}>{t('app.name')}</span>
          </Link>
          <div style={{ flex: 1 }} />
          <ConnectionIndicator />
          <AccountMenu />
        </div>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <ScrollArea>
          <Navigation />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <div className={classes.page}>
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation() {
  const { t } = useTranslation();
  const person = usePerson();
  const signedIn = useSignedIn();
  const [{ data }] = useSubscription({ query: Waiting, pause: !signedIn });
  const counts = data?.notifications;
  return (
    <nav aria-label={t('app.nav.label')}>
      {navItems
        .filter((item) => hasRole(person, ...item.roles))
        .map((item) => {
          const count = counts && item.count ? item.count(counts) : 0;
          return (
            <Link key={item.to} to={item.to} className={classes.navLink}>
              <Icon name={item.icon} />
              {t(`app.nav.${item.labelKey}`)}
              {count > 0 && (
                <span className={classes.count} data-tone={item.warn ? 'warn' : 'calm'}>
                  {count}
                </span>
              )}
            </Link>
          );
        })}
    </nav>
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
      {(shown === 'live' || shown === 'idle') && (
        <span className="cs-visually-hidden">{t(`app.line.${shown}`)}</span>
      )}
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
