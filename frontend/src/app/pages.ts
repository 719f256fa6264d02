// Every page of a signed-in user: its address, its code, its title and its menu entry. The router, the
// menu and the title of the window read this list; the menu has its order.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { reviewerRoles } from '../lib/session';
import { signedIn } from './frame';

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

/** The version of a process, rule set or document type to show, stored in the address. */
function versionIn(search: Record<string, unknown>): { version?: number } {
  const version = Number(search.version);
  return Number.isInteger(version) && version > 0 ? { version } : {};
}

const inFrame = { getParentRoute: () => signedIn };

export const pages = [
  createRoute({
    ...inFrame,
    path: '/intake',
    component: lazyRouteComponent(() => import('../features/intake/IntakePage'), 'IntakePage'),
    staticData: {
      title: 'intake.title',
      menu: { icon: 'upload', roles: ['submitter'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/manage',
    validateSearch: (search: Record<string, unknown>): BoardSearch => ({
      ...((search.due === 'OVERDUE' || search.due === 'AT_RISK') && { due: search.due }),
      ...(typeof search.queue === 'string' && search.queue !== '' && { queue: search.queue }),
    }),
    component: lazyRouteComponent(() => import('../features/manage/ManagePage'), 'ManagePage'),
    staticData: {
      title: 'manage.title',
      menu: {
        icon: 'clock',
        roles: ['manager'],
        count: (counts) => counts.overdue + counts.atRisk,
        warn: true,
      },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/queue',
    component: lazyRouteComponent(() => import('../features/queue/QueuePage'), 'QueuePage'),
    staticData: {
      title: 'queue.title',
      menu: {
        icon: 'inbox',
        roles: reviewerRoles,
        count: (counts) => counts.available + counts.mine,
      },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/reviews/$id',
    component: lazyRouteComponent(() => import('../features/review/ReviewPage'), 'ReviewPage'),
    staticData: { title: 'review.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/cases',
    validateSearch: (search: Record<string, unknown>): CasesSearch => ({
      ...(typeof search.text === 'string' && search.text !== '' && { text: search.text }),
      ...(typeof search.status === 'string' && search.status !== '' && { status: search.status }),
    }),
    component: lazyRouteComponent(() => import('../features/case/CasesPage'), 'CasesPage'),
    staticData: {
      title: 'case.list',
      menu: {
        icon: 'files',
        roles: ['submitter', ...reviewerRoles, 'auditor'],
        count: (counts) => counts.returned,
        warn: true,
      },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/cases/$id',
    component: lazyRouteComponent(() => import('../features/case/CasePage'), 'CasePage'),
    staticData: { title: 'case.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/incidents',
    component: lazyRouteComponent(
      () => import('../features/incidents/IncidentsPage'),
      'IncidentsPage',
    ),
    staticData: {
      title: 'incidents.title',
      menu: {
        icon: 'alert',
        roles: ['submitter', 'manager'],
        count: (counts) => counts.incidents,
        warn: true,
      },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/people',
    component: lazyRouteComponent(() => import('../features/admin/PeoplePage'), 'PeoplePage'),
    staticData: {
      title: 'admin.title',
      menu: { icon: 'people', roles: ['administrator', 'auditor'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/conflicts',
    component: lazyRouteComponent(() => import('../features/admin/ConflictsPage'), 'ConflictsPage'),
    staticData: { title: 'admin.conflicts.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/controls',
    component: lazyRouteComponent(() => import('../features/admin/ControlsPage'), 'ControlsPage'),
    staticData: { title: 'admin.controls.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/connectors',
    component: lazyRouteComponent(
      () => import('../features/admin/ConnectorsPage'),
      'ConnectorsPage',
    ),
    staticData: { title: 'connectors.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/memory',
    component: lazyRouteComponent(() => import('../features/admin/MemoryPage'), 'MemoryPage'),
    staticData: { title: 'admin.memory.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/authority',
    component: lazyRouteComponent(
      () => import('../features/authority/AuthorityPage'),
      'AuthorityPage',
    ),
    staticData: {
      title: 'authority.title',
      menu: { icon: 'gear', roles: ['administrator', 'auditor'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/queues',
    component: lazyRouteComponent(() => import('../features/schedule/QueuesPage'), 'QueuesPage'),
    staticData: {
      title: 'schedule.title',
      menu: { icon: 'inbox', roles: ['manager', 'administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/calendars',
    component: lazyRouteComponent(
      () => import('../features/schedule/CalendarsPage'),
      'CalendarsPage',
    ),
    staticData: { title: 'schedule.calendars.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/quality',
    component: lazyRouteComponent(() => import('../features/quality/QualityPage'), 'QualityPage'),
    staticData: {
      title: 'quality.title',
      menu: { icon: 'shield', roles: [...reviewerRoles, 'auditor', 'administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/audit',
    component: lazyRouteComponent(
      () => import('../features/audit/AuditStartPage'),
      'AuditStartPage',
    ),
    staticData: {
      title: 'audit.title',
      menu: { icon: 'shield', roles: ['auditor', 'manager', 'administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/audit/$caseId',
    component: lazyRouteComponent(() => import('../features/audit/AuditPage'), 'AuditPage'),
    staticData: { title: 'audit.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/definitions',
    component: lazyRouteComponent(
      () => import('../features/definitions/DefinitionsPage'),
      'DefinitionsPage',
    ),
    staticData: {
      title: 'definitions.title',
      menu: { icon: 'flow', roles: ['administrator', 'manager', 'auditor'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/definitions/$key',
    validateSearch: versionIn,
    component: lazyRouteComponent(
      () => import('../features/definitions/ProcessPage'),
      'ProcessPage',
    ),
    staticData: { title: 'definitions.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/definitions/$key/edit',
    validateSearch: versionIn,
    component: lazyRouteComponent(() => import('../features/definitions/EditPage'), 'EditPage'),
    staticData: { title: 'definitions.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/rules',
    component: lazyRouteComponent(
      () => import('../features/definitions/RuleSetsPage'),
      'RuleSetsPage',
    ),
    staticData: {
      title: 'definitions.rules.title',
      menu: { icon: 'pen', roles: ['administrator', 'manager', 'auditor'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/rules/$key',
    validateSearch: versionIn,
    component: lazyRouteComponent(
      () => import('../features/definitions/RuleSetPage'),
      'RuleSetPage',
    ),
    staticData: { title: 'definitions.rules.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/rules/$key/edit',
    validateSearch: versionIn,
    component: lazyRouteComponent(
      () => import('../features/definitions/RuleEditPage'),
      'RuleEditPage',
    ),
    staticData: { title: 'definitions.rules.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/types',
    component: lazyRouteComponent(
      () => import('../features/definitions/DocumentTypesPage'),
      'DocumentTypesPage',
    ),
    staticData: {
      title: 'definitions.types.title',
      menu: { icon: 'files', roles: ['administrator', 'manager', 'auditor'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/types/$key',
    validateSearch: versionIn,
    component: lazyRouteComponent(
      () => import('../features/definitions/DocumentTypePage'),
      'DocumentTypePage',
    ),
    staticData: { title: 'definitions.types.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/types/$key/edit',
    validateSearch: versionIn,
    component: lazyRouteComponent(
      () => import('../features/definitions/DocumentTypeEditPage'),
      'DocumentTypeEditPage',
    ),
    staticData: { title: 'definitions.types.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/delegations',
    component: lazyRouteComponent(
      () => import('../features/delegations/DelegationsPage'),
      'DelegationsPage',
    ),
    staticData: {
      title: 'delegations.title',
      menu: { icon: 'link', roles: [...reviewerRoles, 'administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/notices',
    component: lazyRouteComponent(() => import('../features/notices/NoticesPage'), 'NoticesPage'),
    staticData: { title: 'notices.title' },
  }),
  createRoute({
    ...inFrame,
    path: '/account',
    component: lazyRouteComponent(() => import('../features/admin/AccountPage'), 'AccountPage'),
    staticData: { title: 'admin.account.title' },
  }),
] as const;
