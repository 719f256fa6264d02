// Groups incidents by cause: the open ones from the server, and the repairs started on this page,
// which stay until they are dismissed.
import type { TFunction } from 'i18next';
import type { IncidentGroupsQuery } from '../../graphql/generated/graphql';
import { refusalMessage } from '../../lib/labels';
import { groupKey, type Incident, type Repair } from './repairs';

export type ServerGroup = IncidentGroupsQuery['incidentGroups'][number];

/** A cause with its open incidents and repairs. */
export interface Group {
  key: string;
  code: string;
  node: string;
  /** The message of all its incidents; empty if they have different ones. */
  message: string;
  /** The number of open incidents on the server, without those being repaired. */
  count: number;
  oldest: string;
  newest: string;
  repairs: Repair[];
}

/** A row: an open incident, or its repair. */
export interface Line {
  incident: Incident;
  repair: Repair | null;
}

/** The causes from the server, and those that only repairs remain of. */
export function groupsOf(server: readonly ServerGroup[], repairs: readonly Repair[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of server) groups.set(groupKey(one), { ...one, key: groupKey(one), repairs: [] });
  for (const repair of repairs) {
    const { incident, group: key } = repair;
    const existing = groups.get(key);
    if (existing) {
      existing.repairs.push(repair);
      if (incident.message !== existing.message) existing.message = '';
    } else groups.set(key, emptyGroup(key, incident, repair));
  }
  return [...groups.values()];
}

/** What the heading says of a cause: without details of one file if its incidents have different ones. */
export const causeText = (
  t: TFunction<'translation'>,
  language: string,
  { code, message }: Pick<Group, 'code' | 'message'>,
): string => refusalMessage(t, language, { code, message }) || code;

function emptyGroup(
  key: string,
  { code, node, message, openedAt }: Incident,
  repair: Repair,
): Group {
  const at = openedAt ?? repair.incident.case?.updatedAt ?? '';
  return { key, code, node, message, count: 0, oldest: at, newest: at, repairs: [repair] };
}

/** The rows of a group: repairs first, then the open incidents without an active repair. */
export function linesOf(
  openIncidents: readonly Incident[],
  group: Group,
  repairs: readonly Repair[],
): Line[] {
  const active = repairs.filter(({ state }) => state.status === 'active');
  const repaired = new Set(active.map((repair) => repair.incident.case?.id));
  const unrepaired = openIncidents.filter((incident) => !repaired.has(incident.case?.id));
  return [
    ...group.repairs.map((repair) => ({ incident: repair.incident, repair })),
    ...unrepaired.map((incident) => ({ incident, repair: null })),
  ];
}

/** Counts the repairs by progress. */
export function countRepairs(repairs: readonly Repair[]): {
  queued: number;
  passed: number;
  failed: number;
  ended: number;
} {
  const count = { queued: 0, passed: 0, failed: 0, ended: 0 };
  for (const { state } of repairs) {
    if (state.matches('passed')) count.passed++;
    else if (state.matches('closed')) count.ended++;
    else if (state.matches('open'))
      count.failed += state.context.failedAgain || state.context.problem ? 1 : 0;
    else count.queued++;
  }
  return count;
}
