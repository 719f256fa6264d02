// The change of a rehearsal, and its result as texts and as a CSV file.
import type { TFunction } from 'i18next';
import type {
  RecordedRehearsalFragment,
  RehearsalChangeInput,
  RehearsalLinesFragment,
} from '../../graphql/generated/graphql';
import { factLabel, statusLabel } from '../../lib/labels';
import { localizedName } from './processes';

export type Rehearsed = RehearsalLinesFragment;
export type RehearsedCase = Rehearsed['different'][number];

export const changeKinds = ['text', 'reviewers', 'deadline'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** What is rehearsed: the text of the editor, or another number of reviewers or deadline of a queue. */
export function changeOf(
  kind: ChangeKind,
  text: string,
  queue: string | null,
  amount: number,
): RehearsalChangeInput | null {
  if (kind === 'text') return { process: text };
  if (queue === null) return null;
  return kind === 'reviewers'
    ? { reviewers: { queue, more: amount } }
    : { deadline: { queue, percent: amount } };
}

type Translate = TFunction<'translation'>;

/** Why a case differs, as sentences in the order of their weight. */
export function reasonsOf(
  t: Translate,
  one: RehearsedCase,
  names: ReadonlyMap<string, string>,
  ruleNames: ReadonlyMap<string, string> = new Map(),
): string[] {
  const labels = (nodes: readonly string[]) =>
    nodes.map((node) => names.get(node) ?? node).join(', ');
  const rules = (ids: readonly string[]) => ids.map((id) => ruleNames.get(id) ?? id).join(', ');
  const reasons: string[] = [];
  if (one.problem !== null)
    reasons.push(
      one.problemNode === null
        ? one.problem
        : t('rehearsal.stopsAt', { node: labels([one.problemNode]), problem: one.problem }),
    );
  if (one.lacks.length > 0)
    reasons.push(
      t('rehearsal.lacks', { facts: one.lacks.map((fact) => factLabel(t, fact)).join(', ') }),
    );
  if (one.undetermined.length > 0)
    reasons.push(t('rehearsal.undetermined', { rules: rules(one.undetermined) }));
  if (one.found.length > 0) reasons.push(t('rehearsal.found', { rules: rules(one.found) }));
  if (one.lost.length > 0) reasons.push(t('rehearsal.lost', { rules: rules(one.lost) }));
  if (one.riskBefore !== one.riskAfter)
    reasons.push(t('rehearsal.risk', { before: one.riskBefore, after: one.riskAfter }));
  if (one.refusedBy.length > 0)
    reasons.push(t('rehearsal.refusedBy', { rules: rules(one.refusedBy) }));
  if (one.tooFewAfter && !one.tooFewBefore) reasons.push(t('rehearsal.tooFew'));
  if (one.unassignedAfter && !one.unassignedBefore) reasons.push(t('rehearsal.unassigned'));
  const asked = askedOf(one);
  const unasked = one.addedReviews.filter((added) => !asked.some(({ node }) => node === added));
  if (unasked.length > 0) reasons.push(t('rehearsal.added', { nodes: labels(unasked) }));
  for (const { node, queue, eligible, assignable, times } of asked) {
    const values = { node: labels([node]), queue, times, count: eligible };
    if (!one.addedReviews.includes(node)) {
      // It existed without the change too, and no one has decided it.
      if (one.tooFewAfter || one.unassignedAfter)
        reasons.push(t(times > 1 ? 'rehearsal.undecidedTimes' : 'rehearsal.undecided', values));
      continue;
    }
    reasons.push(
      assignable < eligible
        ? t('rehearsal.assigned', { ...values, assignable })
        : t(times > 1 ? 'rehearsal.askedTimes' : 'rehearsal.asked', values),
    );
  }
  if (one.changedReviews.length > 0)
    reasons.push(t('rehearsal.changedReviews', { nodes: labels(one.changedReviews) }));
  if (one.droppedReviews.length > 0)
    reasons.push(t('rehearsal.dropped', { nodes: labels(one.droppedReviews) }));
  if (one.problem === null && one.endBefore !== one.endAfter)
    reasons.push(
      t('rehearsal.end', {
        before: statusLabel(t, one.endBefore.toLowerCase(), true),
        after: statusLabel(t, one.endAfter.toLowerCase(), true),
      }),
    );
  if (reasons.length > 0) return reasons;
  const added = labels(one.after.filter((node) => !one.before.includes(node)));
  const dropped = labels(one.before.filter((node) => !one.after.includes(node)));
  return [t('rehearsal.nodes', { added: added || '–', dropped: dropped || '–' })];
}

/** The reviews of a case without a recorded verdict, those of one step for which the same number of people count together. */
function askedOf({ reviews }: RehearsedCase) {
  const asked: (Omit<RehearsedCase['reviews'][number], '__typename' | 'verdict'> & {
    times: number;
  })[] = [];
  for (const { node, queue, verdict, eligible, assignable } of reviews) {
    if (verdict !== null) continue;
    const known = asked.find(
      (one) =>
        one.node === node &&
        one.queue === queue &&
        one.eligible === eligible &&
        one.assignable === assignable,
    );
    if (known) known.times++;
    else asked.push({ node, queue, eligible, assignable, times: 1 });
  }
  return asked;
}

/** Items with the same reasons together, the largest group first; in a group, the order stays. */
export function groupsOf<T extends { reasons: readonly string[] }>(items: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const reasons = JSON.stringify(item.reasons);
    groups.set(reasons, [...(groups.get(reasons) ?? []), item]);
  }
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

/** The names of the rules of a rehearsal by id, in a language. */
export function ruleNamesOf(
  rules: readonly Pick<NonNullable<Rehearsed['rules']>[number], 'rule' | 'titles'>[] | null,
  language: string,
): ReadonlyMap<string, string> {
  return new Map(
    (rules ?? []).map(({ rule, titles }) => [rule, localizedName(titles, language, rule)]),
  );
}

/** The named cases as a CSV file, which spreadsheets do not take for formulas. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return `"${safe.replaceAll('"', '""')}"`;
  };
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

const briefCounts = [
  'personToStraight',
  'fewerReviews',
  'otherReviews',
  'stopped',
  'otherEnd',
  'refused',
  'tooFewAfter',
  'straightToPerson',
  'moreReviews',
  'otherFindings',
  'undetermined',
] as const;

/**
 * The report of a text that says most: that of the most cases, so that a later one over a few cases hides
 * nothing. Of reports over equally many, the first one, which is the newest.
 */
export function widestReport(
  reports: readonly RecordedRehearsalFragment[],
): RecordedRehearsalFragment | null {
  const ofText = reports.filter(({ ofThisText }) => ofThisText);
  return ofText.reduce<RecordedRehearsalFragment | null>(
    (widest, one) => (widest === null || one.cases > widest.cases ? one : widest),
    null,
  );
}

/** What a report says, in sentences; those about fewer controls first. */
export function briefOf(t: Translate, report: RecordedRehearsalFragment): string[] {
  const sentences = briefCounts
    .filter((name) => (report[name] ?? 0) > 0)
    .map((name) =>
      t(`rehearsal.recorded.brief.${name}`, {
        count: report[name] ?? 0,
        all: report.cases,
        before: report.tooFewBefore,
      }),
    );
  const differ = report.cases - report.same;
  if (sentences.length === 0 && differ > 0)
    sentences.push(t('rehearsal.recorded.brief.other', { count: differ, all: report.cases }));
  if (sentences.length === 0 && report.cases > 0) sentences.push(t('rehearsal.recorded.nothing'));
  if (report.hidden > 0)
    sentences.push(t('rehearsal.recorded.brief.hidden', { count: report.hidden }));
  if (!report.complete) sentences.push(t('rehearsal.recorded.incomplete'));
  return sentences;
}
