// The message about the next step of a case.
import type { TFunction } from 'i18next';
import { queueLabel, stageLabel } from './labels';

export interface NextStep {
  kind: string;
  sentence: string;
  stage?: string | null | undefined;
  attempt?: number | null | undefined;
  queue?: string | null | undefined;
  who: readonly { name: string }[];
}

/** The message without its due time, which is shown next to it. */
export function nextStepMessage(
  t: TFunction<'translation'>,
  next: NextStep,
  mine: boolean,
): string {
  const names = next.who.map((person) => person.name).join(t('caseLabels.next.comma'));
  switch (next.kind) {
    case 'STAGE':
      return next.stage
        ? t('caseLabels.next.stage', { stage: stageLabel(t, next.stage) })
        : t('caseLabels.next.working');
    case 'RETRY':
      return t('caseLabels.next.retry', {
        stage: stageLabel(t, next.stage ?? ''),
        attempt: next.attempt ?? 2,
      });
    case 'REVIEW_OPEN':
      return t('caseLabels.next.reviewOpen', { queue: queueLabel(t, next.queue ?? '') });
    case 'REVIEW_ASSIGNED':
      return names === ''
        ? t('caseLabels.next.inReview')
        : t('caseLabels.next.reviewAssigned', { name: next.who[0]?.name });
    case 'REVIEW_CLAIMED':
      return names === ''
        ? t('caseLabels.next.inReview')
        : t('caseLabels.next.reviewClaimed', { name: next.who[0]?.name });
    case 'IN_REVIEW':
      return t('caseLabels.next.inReview');
    case 'RESUBMIT':
      return mine ? t('caseLabels.next.resubmitMine') : t('caseLabels.next.resubmit');
    case 'INCIDENT':
      return t('caseLabels.next.incident');
    case 'FINISHED':
      return t('caseLabels.next.finished');
    default:
      return next.sentence;
  }
}
