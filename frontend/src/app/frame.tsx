// The parent routes: the root, and the frame of the pages that need a session.
import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import type { ParseKeys } from 'i18next';
import type { ProposedKind } from '../graphql/to-publish';
import { type Role, session } from '../lib/session';
import type { IconName } from '../ui/Icon';
import { findOptions, findSession } from './auth';
import { NotFound } from './ErrorPages';
import { SessionEndedDialog } from './SessionEndedDialog';
import { Shell } from './Shell';

/** The counters of the signed-in user, kept up to date by a subscription. */
export interface Counts {
  available: number;
  mine: number;
  incidents: number;
  overdue: number;
  atRisk: number;
  returned: number;
}

/** The menu entry of a page; its label is the title of the page. */
export interface MenuEntry {
  icon: IconName;
  /** Users with one of these roles see the entry. */
  roles: readonly Role[];
  /** Owners of processes see the entry, with the number of proposals that wait for them. */
  owners?: boolean;
  count?: (counts: Counts) => number;
  /** Administrators see the number of open proposals of the kind that another one made. */
  proposals?: ProposedKind;
  /** Whether the counter is a warning. */
  warn?: boolean;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The key of the page's title. */
    title?: ParseKeys;
    menu?: MenuEntry;
  }
}

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** The parent of all pages that need a session. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    if (session.get().state === 'unknown') {
      void findOptions();
      const failure = await findSession();
      if (failure) throw new Error(failure.message || failure.code);
    }
    if (session.get().state === 'signedOut') {
      throw redirect({
        to: '/sign-in',
        search: location.pathname === '/' ? {} : { back: location.href },
      });
    }
  },
  component: () => (
    <>
      <Shell />
      <SessionEndedDialog />
    </>
  ),
});
