// What an approval needs because of findings, and what the user has stated about them so far.
import type { ReviewCase } from './review-facts';

export type Requirement = ReviewCase['approvalRequirements'][number];

/** Reasons by the rule of the finding, as typed. */
export type OverrideReasons = Readonly<Record<string, string>>;

/** What the dialog offers: approve, pass the review on after the first of two reasons, or neither. */
export type ApprovalStep = 'approve' | 'passOn' | 'stopped';

export function openRequirements(requirements: readonly Requirement[]): Requirement[] {
  return requirements.filter(({ satisfied }) => !satisfied);
}

/** A reason of the user settles the requirement, or is the first of two. */
export function needsReason({ override }: Requirement): boolean {
  return override === 'REASON' || override === 'SECOND_PERSON';
}

/** No other reviewer has stated a reason for a finding that needs two. */
function isFirstOfTwo(requirement: Requirement, me: string | null): boolean {
  return (
    requirement.override === 'SECOND_PERSON' &&
    !requirement.given.some(({ person }) => person !== null && person.id !== me)
  );
}

export function approvalStep(open: readonly Requirement[], me: string | null): ApprovalStep {
  if (open.some((requirement) => !needsReason(requirement))) return 'stopped';
  return open.some((requirement) => isFirstOfTwo(requirement, me)) ? 'passOn' : 'approve';
}

/**
 * The reasons to send with the step: passing on states only those for findings that need two
 * persons. Null while one is missing; `general` is the reason of the decision, which counts for
 * findings that need one.
 */
export function overridesToSend(
  open: readonly Requirement[],
  reasons: OverrideReasons,
  general: string,
  step: ApprovalStep,
): { rule: string; reason: string }[] | null {
  const overrides: { rule: string; reason: string }[] = [];
  for (const { rule, override } of open) {
    const reason = reasons[rule]?.trim() ?? '';
    if (reason !== '') overrides.push({ rule, reason });
    else if (override === 'SECOND_PERSON') return null;
    else if (step === 'approve' && general.trim() === '') return null;
  }
  return overrides;
}
