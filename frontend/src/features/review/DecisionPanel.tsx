// The decision: a reason and four verdicts. An unavailable verdict explains why, and who could
// decide.
import { Text, Textarea } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { DecideReviewInput } from '../../graphql/generated/bounds';
import { labelIn } from '../../lib/field-labels';
import { dateTimeText, listOf } from '../../lib/format';
import { factLabel, refusalHint, refusalMessage } from '../../lib/labels';
import { ButtonWithReason } from '../../ui/buttons';
import { openRequirements } from './approval-requirements';
import { endsText } from './committee-text';
import { useCachedReviews } from './OtherReviews';
import classes from './review.module.css';
import {
  type Line,
  missingRequired,
  type ReadableReview,
  type Reasons,
  type Review,
} from './review-facts';
import type { ReviewSnapshot } from './review-machine';
import { repairDuty, type Verdict } from './review-values';
import type { ReviewWorkspaceState } from './use-review';

/** The verdicts of a review in the repair queue, where missing values are named. */
const repairVerdicts: [Verdict, string][] = [
  ['REPAIRED', 'a'],
  ['RETURN', 'r'],
  ['ESCALATE', 'e'],
];

const verdicts: [Verdict, string][] = [
  ['APPROVE', 'a'],
  ['REJECT', 'd'],
  ['RETURN', 'r'],
  ['ESCALATE', 'e'],
];

/** The verdicts that the review offers. */
function verdictsOf(review: ReadableReview): readonly [Verdict, string][] {
  if (review.duty === repairDuty) return repairVerdicts;
  return review.committee?.canAbstain ? [...verdicts, ['ABSTAIN', 'b']] : verdicts;
}

/** Refusals that only say the user does not hold the review, which the machine knows better. */
export const claimCodes = new Set(['NotClaimedByYou', 'AlreadyClaimed']);

/** Refusals of an approval because of the payment order. */
const orderCodes = new Set(['OrderUnsupported', 'OrderRequired']);

/** Whether the payment order stops an approval. */
const isStoppedByOrder = ({ allowed, code }: Review['approval']): boolean =>
  !allowed && orderCodes.has(code ?? '');

/** Whether another reviewer first has to confirm a change of the user. */
const isStoppedByOwnChange = ({ allowed, values }: Review['approval']): boolean =>
  !allowed && values.some(({ name, value }) => name === 'reason' && value === 'own_change');

/** Whether something of the document stops an approval although the user may decide. */
const isApprovalStopped = (approval: Review['approval']): boolean =>
  isStoppedByOrder(approval) || isStoppedByOwnChange(approval);

/** Whether something of the case stops the verdict although the user may decide. */
export function isStopped(
  { approval, case: { missing } }: Pick<ReadableReview, 'approval' | 'case'>,
  verdict: Verdict,
): boolean {
  return verdict === 'REPAIRED'
    ? missing.length > 0
    : verdict === 'APPROVE' && isApprovalStopped(approval);
}

/** What an explanation says, and what can be done. */
function explanationText(
  t: TFunction<'translation'>,
  language: string,
  { code, sentence, values, remedy }: Omit<Review['approval'], 'allowed'>,
): string {
  const message = refusalMessage(t, language, { code: code ?? '', message: sentence, values });
  const hint = refusalHint(t, language, { code: code ?? '', remedy });
  return hint ? `${message} ${hint}` : message;
}

function explanationOf(reasons: Reasons, verdict: Verdict) {
  if (verdict === 'ESCALATE') return reasons.escalate;
  return verdict === 'RETURN' ? reasons.return : reasons.decide;
}

/** Why the verdict is not available now; null if it is. */
export function verdictObstacle(
  t: TFunction,
  language: string,
  snapshot: ReviewSnapshot,
  reasons: Reasons,
  verdict: Verdict,
  missing: readonly string[],
  approval: Review['approval'],
): string | null {
  if (snapshot.matches('done') || snapshot.matches('closed')) return t('review.decide.ended');
  const explanation = explanationOf(reasons, verdict);
  const blocked = !explanation.allowed && !(explanation.code && claimCodes.has(explanation.code));
  if (blocked) return explanationText(t as TFunction<'translation'>, language, explanation);
  if (snapshot.matches('viewing') || snapshot.matches('lost') || snapshot.matches('claiming'))
    return t('review.decide.notYours');
  if (snapshot.matches({ mine: 'conflict' })) return t('review.decide.conflict');
  if (snapshot.matches({ mine: 'editing' }) || snapshot.matches({ mine: 'confirmingSave' }))
    return t('review.decide.unsaved');
  if (!snapshot.matches('mine')) return t('review.decide.under');
  if (verdict === 'APPROVE' && isApprovalStopped(approval))
    return explanationText(t as TFunction<'translation'>, language, approval);
  if (verdict === 'REPAIRED' && missing.length > 0)
    return t('caseLabels.missing', {
      names: missing
        .map((name) => factLabel(t as TFunction<'translation'>, name))
        .join(t('caseLabels.next.comma')),
    });
  const free = verdict === 'APPROVE' || verdict === 'REPAIRED';
  if (!free && snapshot.context.reason.trim() === '') return t('ui.reasonNeeded');
  return null;
}

export function DecisionPanel({
  workspace,
  reasons,
  review,
  refused,
  unchecked,
  onVerdict,
  quick,
}: {
  workspace: ReviewWorkspaceState;
  reasons: Reasons;
  review: ReadableReview;
  /** The verdict whose key was pressed and had no effect. */
  refused: Verdict | null;
  /** The fields that a person has to check before an approval. */
  unchecked: readonly Line[];
  onVerdict: (verdict: Verdict) => void;
  /** An approval is given without a question, and the next review follows. */
  quick: boolean;
}) {
  const { approval } = review;
  const { missing } = review.case;
  /** The review names missing values and approves nothing. */
  const repairs = review.duty === repairDuty;
  const { t, i18n } = useTranslation();
  const { snapshot, send } = workspace;
  const writable = snapshot.can({ type: 'WRITE_REASON', text: '' });
  const ended = snapshot.matches('done') || snapshot.matches('closed');
  if (ended) return null;
  const obstacleOf = (verdict: Verdict) =>
    verdictObstacle(t, i18n.language, snapshot, reasons, verdict, missing, approval);
  const checkFirst =
    refused === 'APPROVE' && unchecked.length > 0
      ? t('review.decide.checkFirst', { fields: namesOf(i18n.language, unchecked) })
      : null;
  const obstacle = refused && (obstacleOf(refused) ?? checkFirst);
  return (
    <section
      className={`cs-card ${classes.decision}`}
      aria-label={t('review.decide.title')}
      data-decision
    >
      {review.committee && <CommitteeState review={review} committee={review.committee} />}
      {!repairs && <ApprovalNeeds review={review} doubtful={unchecked.length} />}
      <Textarea
        id="review-reason"
        aria-label={t('review.decide.reason')}
        placeholder={t('review.decide.reasonHint')}
        title={t('review.decide.reasonMore')}
        aria-description={t('review.decide.reasonMore')}
        size="xs"
        autosize
        minRows={1}
        maxRows={8}
        maxLength={DecideReviewInput.reason}
        readOnly={!writable}
        value={snapshot.context.reason}
        onChange={(event) => send({ type: 'WRITE_REASON', text: event.currentTarget.value })}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      {obstacle && (
        <Text size="xs" c="var(--cs-warn)" fw={560} mt={4} role="status">
          {obstacle}
        </Text>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a key held down presses no button */}
      <div
        className={classes.verdicts}
        onKeyDown={(event) => event.repeat && event.key === 'Enter' && event.preventDefault()}
      >
        {verdictsOf(review).map(([verdict, key]) => (
          <ButtonWithReason
            key={verdict}
            size="xs"
            data-verdict={verdict}
            disabledReason={obstacleOf(verdict)}
            shortcut={key}
            variant={verdict === 'APPROVE' || verdict === 'REPAIRED' ? 'filled' : 'default'}
            loading={snapshot.matches('deciding') && snapshot.context.verdict === verdict}
            onClick={() => onVerdict(verdict)}
          >
            {verdict === 'APPROVE' && quick
              ? t('review.decide.approveAndNext')
              : t(`review.decide.${verdict}`)}
          </ButtonWithReason>
        ))}
      </div>
      <EligibleReviewers snapshot={snapshot} reasons={reasons} />
    </section>
  );
}

/** The names of fields in a sentence: "Vendor, Number and Total". */
export function namesOf(language: string, lines: readonly Line[]): string {
  return listOf(
    language,
    lines.map((line) => labelIn(language, line)),
  );
}

/** How the committee decides, and its votes so far. */
function CommitteeState({
  review,
  committee,
}: {
  review: ReadableReview;
  committee: NonNullable<Review['committee']>;
}) {
  const { t, i18n } = useTranslation();
  const endsAt = useCachedReviews(review).own?.endsAt;
  const { decideBy, seats, quorum, cast, votesHidden } = committee;
  return (
    <Text size="sm" mb={4} data-committee>
      {t(`review.committee.${decideBy}` as 'review.committee.count', { seats, quorum })}{' '}
      {endsAt && (
        <span data-ends>
          {t(endsText(decideBy), { quorum, time: dateTimeText(endsAt, i18n.language) })}{' '}
        </span>
      )}
      {decideBy === 'first_rejection'
        ? t('review.committee.given', { count: cast })
        : votesHidden
          ? t('review.committee.hidden', { cast, seats })
          : t('review.committee.votes', {
              cast,
              approvals: committee.approvals ?? 0,
              rejections: committee.rejections ?? 0,
              abstentions: committee.abstentions ?? 0,
            })}
    </Text>
  );
}

/** What an approval needs besides the decision, one short line each. */
function ApprovalNeeds({ review, doubtful }: { review: ReadableReview; doubtful: number }) {
  const { t } = useTranslation();
  const { fieldForm, approvalRequirements } = review.case;
  const missing = missingRequired(fieldForm).length;
  const explanations = openRequirements(approvalRequirements).length;
  const needs = [
    missing > 0 && t('review.needs.missing', { count: missing }),
    doubtful > 0 && t('review.needs.doubtful', { count: doubtful }),
    explanations > 0 && t('review.needs.explanations', { count: explanations }),
    isStoppedByOrder(review.approval) &&
      t(review.approval.code === 'OrderRequired' ? 'review.needs.noOrder' : 'review.needs.order'),
    isStoppedByOwnChange(review.approval) && t('review.needs.ownChange'),
    review.signatureRequired && t('review.needs.signature'),
  ].filter((need) => need !== false);
  if (needs.length === 0) return null;
  return (
    <ul className={classes.needs} aria-label={t('review.needs.title')}>
      {needs.map((need) => (
        <li key={need}>{need}</li>
      ))}
    </ul>
  );
}

/** The people who could decide if the user cannot. */
function EligibleReviewers({ snapshot, reasons }: { snapshot: ReviewSnapshot; reasons: Reasons }) {
  const { t } = useTranslation();
  const { decide } = reasons;
  if (snapshot.matches('mine') && (decide.allowed || claimCodes.has(decide.code ?? '')))
    return null;
  if (decide.allowed) return null;
  if (decide.who.length === 0) return null;
  const shown = decide.who.slice(0, 4).map(({ name }) => name);
  const more = decide.who.length - shown.length;
  const list = shown.join(', ');
  const names = more > 0 ? t('review.decide.whoMore', { names: list, count: more }) : list;
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {t('review.decide.who', { names })}
    </Text>
  );
}
