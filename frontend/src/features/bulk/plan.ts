// What each command can do with the selected cases, and why it leaves the others out. It is known before
// the command is sent; the server checks each review again.
import type { BulkReviewFragment } from '../../graphql/generated/graphql';
import type { SelectedCase } from '../../ui/BulkActions';

export type Action = 'claim' | 'release' | 'approve' | 'reassign';

/** The undecided reviews of a case. */
export interface Work {
  /** Those that the user may claim or has claimed. */
  own: readonly BulkReviewFragment[];
  /** Those that the user may reassign. */
  all: readonly BulkReviewFragment[];
}

/** A review that the command is sent for. */
export interface Target {
  caseId: string;
  reference: string;
  review: BulkReviewFragment;
}

/** Why bulk approval leaves a review out, as the server says. */
export const outsideNames = [
  'amount',
  'risk',
  'missing',
  'doubtful',
  'finding',
  'signature',
  'not_allowed',
] as const;

export type Cause =
  | 'closed'
  | 'notYours'
  | 'yours'
  | 'changed'
  | 'another'
  | 'noReview'
  | (typeof outsideNames)[number];

export interface LeftOut {
  caseId: string;
  reference: string;
  cause: Cause;
  /** The limits of bulk approval at the step of the review, if the case is above them. */
  limits?: BulkReviewFragment['bulkApproval'];
}

export interface Share {
  targets: readonly Target[];
  leftOut: readonly LeftOut[];
}

const isCause = (name: string): name is (typeof outsideNames)[number] =>
  outsideNames.some((one) => one === name);

/** The one review of a case that a claim or an approval is for: claimed ones before others. */
function ownTarget(action: Action, chosen: SelectedCase, own: Work['own']) {
  const inOrder = [...own].sort((a, b) => (a.status < b.status ? -1 : a.status > b.status ? 1 : 0));
  const review = inOrder.find(({ bulkApproval }) => bulkApproval?.within) ?? inOrder[0];
  if (!review) return chosen.final ? 'closed' : 'notYours';
  if (action === 'claim') return own.find(({ status }) => status === 'OPEN') ?? 'yours';
  // The values of the case are no longer those that the user selected.
  if (review.case?.version !== chosen.version) return 'changed';
  if (review.bulkApproval?.within) return review;
  const outside = review.bulkApproval?.outside ?? '';
  return isCause(outside) ? outside : 'not_allowed';
}

/** What the command can do; cases whose reviews are not known yet are in neither list. */
export function shareOf(
  action: Action,
  cases: readonly SelectedCase[],
  work: ReadonlyMap<string, Work>,
): Share {
  const targets: Target[] = [];
  const leftOut: LeftOut[] = [];
  for (const chosen of cases) {
    const known = work.get(chosen.id);
    if (!known) continue;
    const { id: caseId, reference } = chosen;
    const leave = (cause: Cause) =>
      leftOut.push({
        caseId,
        reference,
        cause,
        ...(/^(amount|risk)$/.test(cause) && { limits: known.own[0]?.bulkApproval ?? null }),
      });
    if (action === 'reassign') {
      for (const review of known.all) targets.push({ caseId, reference, review });
      if (known.all.length === 0) leave(chosen.final ? 'closed' : 'noReview');
      continue;
    }
    if (action === 'release') {
      const claimed = known.own.filter(({ status }) => status === 'CLAIMED');
      for (const review of claimed) targets.push({ caseId, reference, review });
      continue;
    }
    const found = ownTarget(action, chosen, known.own);
    if (typeof found === 'string') {
      leave(found);
      continue;
    }
    targets.push({ caseId, reference, review: found });
    if (known.own.some(({ id, status }) => id !== found.id && status === 'OPEN')) leave('another');
  }
  return { targets, leftOut };
}

/** The cases that a command leaves out, by cause. */
export function byCause(leftOut: readonly LeftOut[]): [Cause, LeftOut[]][] {
  const groups = new Map<Cause, LeftOut[]>();
  for (const one of leftOut) groups.set(one.cause, [...(groups.get(one.cause) ?? []), one]);
  return [...groups].sort((a, b) => b[1].length - a[1].length);
}

/** The work with only the given reviews; null means all. */
export function onlyReviews(
  work: ReadonlyMap<string, Work>,
  reviews: ReadonlySet<string> | null,
): ReadonlyMap<string, Work> {
  if (!reviews) return work;
  const some = (list: Work['own']) => list.filter(({ id }) => reviews.has(id));
  return new Map([...work].map(([id, { own, all }]) => [id, { own: some(own), all: some(all) }]));
}
