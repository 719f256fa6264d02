// The change of a rehearsal, and its result as texts and as a CSV file.
import type { TFunction } from 'i18next';
import type { RehearsalChangeInput, RehearsalLinesFragment } from '../../graphql/generated/graphql';
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
  if (one.addedReviews.length > 0)
    reasons.push(t('rehearsal.added', { nodes: labels(one.addedReviews) }));
  if (one.droppedReviews.length > 0)
    reasons.push(t('rehearsal.dropped', { nodes: labels(one.droppedReviews) }));
  if (one.problem === null && one.endBefore !== one.endAfter)
    reasons.push(
      t('rehearsal.end', {
        before: statusLabel(t, one.endBefore.toLowerCase(), true),
        after: statusLabel(t, one.endAfter.toLowerCase(), true),
      }),
    );
  for (const { node, verdict, eligible } of one.reviews)
    if (verdict === null)
      reasons.push(t('rehearsal.eligible', { node: labels([node]), count: eligible }));
  if (reasons.length > 0) return reasons;
  const added = labels(one.after.filter((node) => !one.before.includes(node)));
  const dropped = labels(one.before.filter((node) => !one.after.includes(node)));
  return [t('rehearsal.nodes', { added: added || '–', dropped: dropped || '–' })];
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
