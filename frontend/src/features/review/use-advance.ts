// Enter leads through the values to check: it saves what was typed or confirms what was read, and
// goes to the next value; after the last one the focus is on the approval. While a command runs and
// after it, no text input has the focus, so that the next key is a shortcut and no text.
import { useEffect, useRef } from 'react';
import { findingsHeading } from './Findings';
import { awaitsCheck, type ReadableReview } from './review-facts';
import type { Verdict } from './review-values';
import { repairDuty } from './review-values';
import type { ReviewWorkspaceState } from './use-review';

interface AdvanceInput {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  /** Whether the value can be confirmed as read. */
  needsConfirmation: (field: string) => boolean;
  confirm: (field: string) => void;
  /** Asks for the verdict, or gives it if it can be undone. */
  ask: (verdict: Verdict) => void;
  /** The fields to check, also those that are sure and stated with different values. */
  toCheck: ReadonlySet<string>;
  /** Highlights a field and shows its line. */
  light: (field: string) => void;
  focusField: (field: string) => void;
}

export const focusRow = (field: string) =>
  document.querySelector<HTMLElement>(`[data-row="${CSS.escape(field)}"]`)?.focus();

/** An approval that is stopped is stopped by a finding or the order, which are read from there. */
const focusApproval = () => {
  const approval = document.querySelector<HTMLElement>('[data-decision] [data-verdict]');
  const stopped = approval?.getAttribute('aria-disabled') === 'true';
  (stopped ? document.getElementById(findingsHeading) : approval)?.focus();
};

/** The next value to check that was not passed yet; `also` are fields that their line does not mark. */
export function nextToCheck(
  form: readonly {
    name: string;
    needsPerson: boolean;
    missing: boolean;
    doubts?: readonly string[];
  }[],
  passed: ReadonlySet<string>,
  also: ReadonlySet<string> = new Set(),
): string | null {
  const open = form.filter(
    (line) => (awaitsCheck(line) || also.has(line.name)) && !passed.has(line.name),
  );
  return (open.find(({ missing }) => missing) ?? open[0])?.name ?? null;
}

export function useAdvance(input: AdvanceInput) {
  const { review, workspace, light, focusField } = input;
  const { snapshot } = workspace;
  const passed = useRef(new Set<string>());
  /** The field whose command runs. */
  const running = useRef<string | null>(null);
  /** The verdict to ask for once the command has ended. */
  const verdict = useRef<Verdict | null>(null);

  const goOn = () => {
    const next = nextToCheck(review.case.fieldForm, passed.current, input.toCheck);
    const wanted = verdict.current;
    verdict.current = null;
    if (next !== null) {
      light(next);
      focusRow(next);
    } else if (wanted && snapshot.can({ type: 'CHOOSE_VERDICT', verdict: wanted }))
      input.ask(wanted);
    else focusApproval();
  };

  const enter = (field: string) => {
    passed.current.add(field);
    if (snapshot.can({ type: 'SAVE' })) {
      running.current = field;
      focusRow(field);
      workspace.save();
    } else if (
      input.needsConfirmation(field) &&
      snapshot.can({ type: 'CONFIRM_VALUES', names: [field] })
    ) {
      running.current = field;
      focusRow(field);
      input.confirm(field);
    } else if (snapshot.matches({ mine: 'idle' })) goOn();
  };

  /** Saves and asks for the approval; a value that is still to be checked comes before it. */
  const saveAndApprove = (field: string) => {
    verdict.current = review.duty === repairDuty ? 'REPAIRED' : 'APPROVE';
    enter(field);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the state of the command decides
  useEffect(() => {
    const field = running.current;
    if (field === null || snapshot.matches('saving')) return;
    if (snapshot.matches({ mine: 'confirmingSave' })) return;
    const { refusals, failure, serverState } = snapshot.context;
    const problem = refusals.length > 0 || failure !== null;
    if (snapshot.matches({ mine: 'idle' }) && !problem) {
      // The doubts of the page are those after the command once both have its version.
      if (serverState.version !== review.version) return;
      running.current = null;
      goOn();
      return;
    }
    running.current = null;
    verdict.current = null;
    passed.current.delete(field);
    if (problem && snapshot.matches('mine')) focusField(field);
  }, [snapshot, review.version]);

  useEffect(() => {
    if (!snapshot.matches('mine') && !snapshot.matches('saving')) passed.current.clear();
  }, [snapshot]);

  return {
    enter,
    saveAndApprove,
    /** Goes to the first field to check, also if it was passed before. */
    check: () => {
      passed.current.clear();
      const [first] = input.toCheck;
      if (first === undefined) return;
      light(first);
      focusRow(first);
    },
    /** Asks for the verdict after the command that runs; false if none runs. */
    afterwards: (wanted: Verdict): boolean => {
      if (running.current === null) return false;
      verdict.current = wanted;
      return true;
    },
  };
}
