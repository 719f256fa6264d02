// The routes of the application. The code of each page is loaded on its first visit.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { session, startPage } from '../lib/session';
import { LoadingState } from '../ui/states';
import { findOptions, findSession } from './auth';
import { NotFound, PageError } from './ErrorPages';
import { SessionEndedDialog } from './SessionEndedDialog';
import { Shell } from './Shell';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { back?: string } => {
    const { back } = search;
    // Accept only paths of this site, so that a link cannot redirect elsewhere after sign-in.
    return typeof back === 'string' && /^\/(?![/\\])/.test(back) ? { back } : {};
  },
  component: lazyRouteComponent(() => import('./SignIn'), 'SignIn'),
});

/** The parent of all pages that need a session. */
const signedIn = createRoute({
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

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    const now = session.get();
    if (now.state === 'signedIn') throw redirect({ to: startPage(now.person), replace: true });
  },
});

/** The filters of the case list, stored in its address. */
export interface CasesSearch {
  text?: string;
  status?: string;
}

/** The filters of the manager's board, stored in its address. */
export interface BoardSearch {
  due?: 'OVERDUE' | 'AT_RISK';
  queue?: string;
}

const intake = createRoute({
  getParentRoute: () => signedIn,
  path: '/intake',
  component: lazyRouteComponent(() => import('../features/intake/IntakePage'), 'IntakePage'),
});
const cases = createRoute({
  getParentRoute: () => signedIn,
  path: '/cases',
  validateSearch: (search: Record<string, unknown>): CasesSearch => ({
    ...(typeof search.text === 'string' && search.text !== '' && { text: search.text }),
    ...(typeof search.status === 'string' && search.status !== '' && { status: search.status }),
  }),
  component: lazyRouteComponent(() => import('../features/case/CasesPage'), 'CasesPage'),
});
const oneCase = createRoute({
  getParentRoute: () => signedIn,
  path: '/cases/$id',
  component: lazyRouteComponent(() => import('../features/case/CasePage'), 'CasePage'),
});
const queue = createRoute({
  getParentRoute: () => signedIn,
  path: '/queue',
  component: lazyRouteComponent(() => import('../features/queue/QueuePage'), 'QueuePage'),
});
const review = createRoute({
  getParentRoute: () => signedIn,
  path: '/reviews/$id',
  component: lazyRouteComponent(() => import('../features/review/ReviewPage'), 'ReviewPage'),
});
const manage = createRoute({
  getParentRoute: () => signedIn,
  path: '/manage',
  validateSearch: (search: Record<string, unknown>): BoardSearch => ({
    ...((search.due === 'OVERDUE' || search.due === 'AT_RISK') && { due: search.due }),
    ...(typeof search.queue === 'string' && search.queue !== '' && { queue: search.queue }),
  }),
  component: lazyRouteComponent(() => import('../features/manage/ManagePage'), 'ManagePage'),
});
const incidents = createRoute({
  getParentRoute: () => signedIn,
  path: '/incidents',
  component: lazyRouteComponent(
    () => import('../features/incidents/IncidentsPage'),
    'IncidentsPage',
  ),
});
const people = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/people',
  component: lazyRouteComponent(() => import('../features/admin/PeoplePage'), 'PeoplePage'),
});
const conflicts = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/conflicts',
  component: lazyRouteComponent(() => import('../features/admin/ConflictsPage'), 'ConflictsPage'),
});
const adminQueues = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/queues',
  component: lazyRouteComponent(() => import('../features/schedule/QueuesPage'), 'QueuesPage'),
});
const calendars = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/calendars',
  component: lazyRouteComponent(
    () => import('../features/schedule/CalendarsPage'),
    'CalendarsPage',
  ),
});
const authority = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/authority',
  component: lazyRouteComponent(
    () => import('../features/authority/AuthorityPage'),
    'AuthorityPage',
  ),
});
const delegations = createRoute({
  getParentRoute: () => signedIn,
  path: '/delegations',
  component: lazyRouteComponent(
    () => import('../features/delegations/DelegationsPage'),
    'DelegationsPage',
  ),
});
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('../features/admin/AccountPage'), 'AccountPage'),
});
const auditStart = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  component: lazyRouteComponent(() => import('../features/audit/AuditStartPage'), 'AuditStartPage'),
});
const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit/$caseId',
  component: lazyRouteComponent(() => import('../features/audit/AuditPage'), 'AuditPage'),
});
const definitions = createRoute({
  getParentRoute: () => signedIn,
  path: '/definitions',
  component: lazyRouteComponent(
    () => import('../features/definitions/DefinitionsPage'),
    'DefinitionsPage',
  ),
});
const oneProcess = createRoute({
  getParentRoute: () => signedIn,
  path: '/definitions/$key',
  validateSearch: versionIn,
  component: lazyRouteComponent(() => import('../features/definitions/ProcessPage'), 'ProcessPage'),
});
const editProcess = createRoute({
  getParentRoute: () => signedIn,
  path: '/definitions/$key/edit',
  validateSearch: versionIn,
  component: lazyRouteComponent(() => import('../features/definitions/EditPage'), 'EditPage'),
});

const ruleSets = createRoute({
  getParentRoute: () => signedIn,
  path: '/rules',
  component: lazyRouteComponent(
    () => import('../features/definitions/RuleSetsPage'),
    'RuleSetsPage',
  ),
});
const oneRuleSet = createRoute({
  getParentRoute: () => signedIn,
  path: '/rules/$key',
  validateSearch: versionIn,
  component: lazyRouteComponent(() => import('../features/definitions/RuleSetPage'), 'RuleSetPage'),
});
const editRuleSet = createRoute({
  getParentRoute: () => signedIn,
  path: '/rules/$key/edit',
  validateSearch: versionIn,
  component: lazyRouteComponent(
    () => import('../features/definitions/RuleEditPage'),
    'RuleEditPage',
  ),
});

/** The version of a process or rule set to show, stored in the address. */
function versionIn(search: Record<string, unknown>): { version?: number } {
  const version = Number(search.version);
  return Number.isInteger(version) && version > 0 ? { version } : {};
}

const tree = root.addChildren([
  signIn,
  signedIn.addChildren([
    start,
    intake,
    cases,
    oneCase,
    queue,
    review,
    manage,
    incidents,
    people,
    conflicts,
    adminQueues,
    calendars,
    authority,
    delegations,
    account,
    auditStart,
    audit,
    definitions,
    oneProcess,
    editProcess,
    ruleSets,
    oneRuleSet,
    editRuleSet,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <LoadingState />,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
