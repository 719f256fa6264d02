// Every page of a signed-in user: its address, its code, its title and its menu entry. The router, the
// menu and the title of the window read this list; the menu has its order.
import { createRoute } from '@tanstack/react-router';
import type { ForecastSearch } from '../features/statistics/forecast';
import type { StatisticsSearch } from '../features/statistics/period';
import { type CasesSearch, searchNames } from '../lib/case-address';
import type { QueueSearch } from '../lib/queue-address';
import { reviewerRoles } from '../lib/session';
import { signedIn } from './frame';
import { lazyPage } from './lazy-page';

/** The words of a search, stored in its address. */
export interface WordsSearch {
  q?: string;
}

/** The words to highlight on the pages of a case, and the page to begin with. */
export interface FoundSearch {
  find?: string;
  page?: number;
}

/** The filters of the manager's board, stored in its address. */
export interface BoardSearch {
  due?: 'OVERDUE' | 'AT_RISK';
  queue?: string;
}

type Given = Record<string, unknown>;

/** A text of the address; the router reads one of digits as a number. Empty texts are left out. */
function textIn<TName extends string>(search: Given, name: TName): { [key in TName]?: string } {
  const value = search[name];
  const text = /^(string|number|boolean)$/.test(typeof value) ? String(value) : '';
  return (text === '' ? {} : { [name]: text }) as { [key in TName]?: string };
}

/** A positive number of the address: a version to show, or a page. */
function numberIn<TName extends string>(search: Given, name: TName): { [key in TName]?: number } {
  const value = Number(search[name]);
  return (Number.isInteger(value) && value > 0 ? { [name]: value } : {}) as {
    [key in TName]?: number;
  };
}

const versionIn = (search: Given) => numberIn(search, 'version');
/** The version to change, or the open proposal. */
const baseIn = (search: Given) => ({ ...versionIn(search), ...textIn(search, 'proposal') });

const inFrame = { getParentRoute: () => signedIn };

export const pages = [
  createRoute({
    ...inFrame,
    path: '/intake',
    component: lazyPage(() => import('../features/intake/IntakePage'), 'IntakePage'),
    staticData: {
      title: 'titles.intake',
      menu: { icon: 'upload', roles: ['submitter'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/manage',
    validateSearch: (search: Given): BoardSearch => ({
      ...((search.due === 'OVERDUE' || search.due === 'AT_RISK') && { due: search.due }),
      ...textIn(search, 'queue'),
    }),
    component: lazyPage(() => import('../features/manage/ManagePage'), 'ManagePage'),
    staticData: {
      title: 'titles.manage',
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
    validateSearch: (search: Given): QueueSearch => ({
      ...((search.whose === 'mine' || search.whose === 'available') && { whose: search.whose }),
      ...textIn(search, 'queue'),
      ...textIn(search, 'text'),
      ...textIn(search, 'sort'),
      ...textIn(search, 'view'),
    }),
    component: lazyPage(() => import('../features/queue/QueuePage'), 'QueuePage'),
    staticData: {
      title: 'titles.queue',
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
    component: lazyPage(() => import('../features/review/ReviewPage'), 'ReviewPage'),
    staticData: { title: 'titles.review' },
  }),
  createRoute({
    ...inFrame,
    path: '/cases',
    validateSearch: (search: Given): CasesSearch =>
      Object.assign({}, ...searchNames.map((name) => textIn(search, name))),
    component: lazyPage(() => import('../features/case/CasesPage'), 'CasesPage'),
    staticData: {
      title: 'titles.cases',
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
    validateSearch: (search: Given): FoundSearch => ({
      ...textIn(search, 'find'),
      ...numberIn(search, 'page'),
    }),
    component: lazyPage(() => import('../features/case/CasePage'), 'CasePage'),
    staticData: { title: 'titles.case' },
  }),
  createRoute({
    ...inFrame,
    path: '/cases/$id/sums/$rule',
    component: lazyPage(() => import('../features/case/SumPage'), 'SumPage'),
    staticData: { title: 'titles.sum' },
  }),
  createRoute({
    ...inFrame,
    path: '/search',
    validateSearch: (search: Given): WordsSearch => textIn(search, 'q'),
    component: lazyPage(() => import('../features/search/SearchPage'), 'SearchPage'),
    staticData: { title: 'titles.search' },
  }),
  createRoute({
    ...inFrame,
    path: '/incidents',
    component: lazyPage(() => import('../features/incidents/IncidentsPage'), 'IncidentsPage'),
    staticData: {
      title: 'titles.incidents',
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
    component: lazyPage(() => import('../features/admin/PeoplePage'), 'PeoplePage'),
    staticData: {
      title: 'titles.people',
      menu: { icon: 'people', roles: ['administrator', 'auditor'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/conflicts',
    component: lazyPage(() => import('../features/admin/ConflictsPage'), 'ConflictsPage'),
    staticData: { title: 'titles.conflicts' },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/controls',
    component: lazyPage(() => import('./ControlsPage'), 'ControlsPage'),
    staticData: {
      title: 'titles.controls',
      menu: { icon: 'check', roles: ['administrator'], proposals: 'CONTROL', warn: true },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/connectors',
    component: lazyPage(() => import('../features/admin/ConnectorsPage'), 'ConnectorsPage'),
    staticData: {
      title: 'titles.connectors',
      menu: { icon: 'link', roles: ['administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/memory',
    component: lazyPage(() => import('../features/admin/MemoryPage'), 'MemoryPage'),
    staticData: { title: 'titles.memory' },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/authority',
    component: lazyPage(() => import('./AuthorityPage'), 'AuthorityPage'),
    staticData: {
      title: 'titles.authority',
      menu: { icon: 'gear', roles: ['administrator', 'auditor'], proposals: 'POLICY' },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/queues',
    component: lazyPage(() => import('../features/schedule/QueuesPage'), 'QueuesPage'),
    staticData: {
      title: 'titles.queues',
      menu: { icon: 'inbox', roles: ['manager', 'administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/admin/calendars',
    component: lazyPage(() => import('./CalendarsPage'), 'CalendarsPage'),
    staticData: { title: 'titles.calendars' },
  }),
  createRoute({
    ...inFrame,
    path: '/quality',
    component: lazyPage(() => import('../features/quality/QualityPage'), 'QualityPage'),
    staticData: {
      title: 'titles.quality',
      menu: { icon: 'shield', roles: [...reviewerRoles, 'auditor', 'administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/statistics',
    validateSearch: (search: Given): StatisticsSearch => ({
      ...textIn(search, 'from'),
      ...textIn(search, 'to'),
      ...((search.by === 'QUEUE' || search.by === 'PROCESS' || search.by === 'PERSON') && {
        by: search.by,
      }),
      ...textIn(search, 'queue'),
      ...textIn(search, 'process'),
      ...textIn(search, 'person'),
    }),
    component: lazyPage(() => import('../features/statistics/StatisticsPage'), 'StatisticsPage'),
    staticData: {
      title: 'titles.statistics',
      menu: { icon: 'chart', roles: [...reviewerRoles, 'auditor', 'administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/statistics/forecast',
    validateSearch: (search: Given): ForecastSearch => ({
      ...numberIn(search, 'weeks'),
      ...textIn(search, 'queue'),
      ...(Number.isInteger(search.reviewers) && { reviewers: Number(search.reviewers) }),
      ...numberIn(search, 'deadline'),
      ...textIn(search, 'process'),
      ...textIn(search, 'from'),
    }),
    component: lazyPage(() => import('../features/statistics/ForecastPage'), 'ForecastPage'),
    staticData: { title: 'titles.forecast' },
  }),
  createRoute({
    ...inFrame,
    path: '/audit',
    component: lazyPage(() => import('../features/audit/AuditStartPage'), 'AuditStartPage'),
    staticData: {
      title: 'titles.audit',
      menu: { icon: 'shield', roles: ['auditor', 'manager', 'administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/audit/$caseId',
    component: lazyPage(() => import('../features/audit/AuditPage'), 'AuditPage'),
    staticData: { title: 'titles.audit' },
  }),
  createRoute({
    ...inFrame,
    path: '/definitions',
    component: lazyPage(() => import('../features/definitions/DefinitionsPage'), 'DefinitionsPage'),
    staticData: {
      title: 'titles.processes',
      menu: { icon: 'flow', roles: ['administrator', 'manager', 'auditor'], proposals: 'PROCESS' },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/definitions/$key',
    validateSearch: versionIn,
    component: lazyPage(() => import('../features/definitions/ProcessPage'), 'ProcessPage'),
    staticData: { title: 'titles.processes' },
  }),
  createRoute({
    ...inFrame,
    path: '/definitions/$key/edit',
    validateSearch: baseIn,
    component: lazyPage(() => import('../features/definitions/EditPage'), 'EditPage'),
    staticData: { title: 'titles.processes' },
  }),
  createRoute({
    ...inFrame,
    path: '/approvals',
    component: lazyPage(() => import('../features/definitions/OwnerTasksPage'), 'OwnerTasksPage'),
    staticData: {
      title: 'titles.approvals',
      menu: { icon: 'check', roles: [], owners: true, warn: true },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/rules',
    component: lazyPage(() => import('../features/definitions/RuleSetsPage'), 'RuleSetsPage'),
    staticData: {
      title: 'titles.rules',
      menu: { icon: 'pen', roles: ['administrator', 'manager', 'auditor'], proposals: 'RULE_SET' },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/rules/$key',
    validateSearch: versionIn,
    component: lazyPage(() => import('../features/definitions/RuleSetPage'), 'RuleSetPage'),
    staticData: { title: 'titles.rules' },
  }),
  createRoute({
    ...inFrame,
    path: '/rules/$key/edit',
    validateSearch: baseIn,
    component: lazyPage(() => import('../features/definitions/RuleEditPage'), 'RuleEditPage'),
    staticData: { title: 'titles.rules' },
  }),
  createRoute({
    ...inFrame,
    path: '/types',
    component: lazyPage(
      () => import('../features/definitions/DocumentTypesPage'),
      'DocumentTypesPage',
    ),
    staticData: {
      title: 'titles.types',
      menu: {
        icon: 'files',
        roles: ['administrator', 'manager', 'auditor'],
        proposals: 'DOCUMENT_TYPE',
      },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/types/$key',
    validateSearch: versionIn,
    component: lazyPage(
      () => import('../features/definitions/DocumentTypePage'),
      'DocumentTypePage',
    ),
    staticData: { title: 'titles.types' },
  }),
  createRoute({
    ...inFrame,
    path: '/types/$key/edit',
    validateSearch: versionIn,
    component: lazyPage(
      () => import('../features/definitions/DocumentTypeEditPage'),
      'DocumentTypeEditPage',
    ),
    staticData: { title: 'titles.types' },
  }),
  createRoute({
    ...inFrame,
    path: '/delegations',
    component: lazyPage(() => import('../features/delegations/DelegationsPage'), 'DelegationsPage'),
    staticData: {
      title: 'titles.delegations',
      menu: { icon: 'link', roles: [...reviewerRoles, 'administrator'] },
    },
  }),
  createRoute({
    ...inFrame,
    path: '/notices',
    component: lazyPage(() => import('../features/notices/NoticesPage'), 'NoticesPage'),
    staticData: { title: 'titles.notices' },
  }),
  createRoute({
    ...inFrame,
    path: '/account',
    component: lazyPage(() => import('../features/admin/AccountPage'), 'AccountPage'),
    staticData: { title: 'titles.account' },
  }),
] as const;
