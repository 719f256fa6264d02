// The keyboard shortcuts of the workspace. If one is not available, its button explains why.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PageKey } from '../../ui/KeyHelp';
import type { PageView } from '../../ui/page-view';
import type { Verdict } from './review-values';
import type { useAdvance } from './use-advance';
import type { NextReview } from './use-next-review';
import { focusedField } from './use-page-words';
import type { ReviewWorkspaceState } from './use-review';

interface ReviewKeysInput {
  workspace: ReviewWorkspaceState;
  /** Asks for the verdict, or gives it if it can be undone. */
  ask: (verdict: Verdict) => void;
  view: PageView;
  next: NextReview;
  focusField: (field: string) => void;
  valueKeys: PageKey[];
  advance: ReturnType<typeof useAdvance>;
  /** The highlighted field. */
  lit: string | null;
  /** The review names missing values: its verdict is another, and it cannot reject. */
  repairs: boolean;
  /** The reviewer can abstain. */
  abstains: boolean;
  /** The fields that a person has to check before an approval. */
  toCheck: ReadonlySet<string>;
  /** Whether something of the case stops the verdict. */
  stopped: (verdict: Verdict) => boolean;
}

const reasonId = 'review-reason';

export function useReviewKeys({
  workspace,
  ask,
  repairs,
  abstains,
  toCheck,
  stopped,
  view,
  next,
  focusField,
  valueKeys,
  advance,
  lit,
}: ReviewKeysInput): { keys: PageKey[]; refused: Verdict | null } {
  const { t } = useTranslation();
  const navigate = useNavigate();
  /** The verdict whose key had no effect; the decision says why. */
  const [refused, setRefused] = useState<Verdict | null>(null);
  const chooseVerdict = (verdict: Verdict) => {
    const { snapshot } = workspace;
    setRefused(verdict);
    if (stopped(verdict)) return;
    const possible = snapshot.can({ type: 'CHOOSE_VERDICT', verdict });
    // No two keys approve what no person has checked; the decision says what to check first.
    if (possible && verdict === 'APPROVE' && toCheck.size > 0) advance.check();
    else if (possible) {
      setRefused(null);
      ask(verdict);
    } else if (advance.afterwards(verdict)) return;
    // If only the reason is missing, focus its field.
    else if (snapshot.matches({ mine: 'idle' })) document.getElementById(reasonId)?.focus();
  };
  const focusFirstField = () =>
    focusField(
      document.querySelector<HTMLElement>('[data-field][tabindex="0"]')?.dataset.field ?? '',
    );
  const claimNext = () => {
    const { snapshot } = workspace;
    if (snapshot.matches('done') || snapshot.matches('closed')) next.claim();
    else if (snapshot.matches('deciding')) next.claimAfterwards();
  };
  const verdictKeys: PageKey[] = repairs
    ? [
        {
          keys: 'a',
          once: true,
          label: t('review.decide.REPAIRED'),
          run: () => chooseVerdict('REPAIRED'),
        },
      ]
    : [
        {
          keys: 'a',
          once: true,
          label: t('review.keys.approve'),
          run: () => chooseVerdict('APPROVE'),
        },
        { keys: 'd', label: t('review.keys.reject'), run: () => chooseVerdict('REJECT') },
        ...(abstains
          ? [{ keys: 'b', label: t('review.keys.abstain'), run: () => chooseVerdict('ABSTAIN') }]
          : []),
      ];
  const keys: PageKey[] = [
    { keys: 'f', label: t('review.keys.fields'), run: focusFirstField },
    { keys: 's', ctrl: true, always: true, label: t('review.keys.save'), run: workspace.save },
    ...valueKeys,
    {
      keys: 'Enter',
      ctrl: true,
      always: true,
      label: t('review.keys.saveAndApprove'),
      run: () => {
        const field = focusedField() ?? lit;
        if (field) advance.saveAndApprove(field);
      },
    },
    { keys: 'c', label: t('review.keys.claim'), run: workspace.claim },
    { keys: 's', once: true, label: t('review.keys.skip'), run: () => void workspace.skip() },
    { keys: 'u', label: t('review.keys.release'), run: workspace.release },
    {
      keys: 'w',
      label: t('review.keys.reason'),
      run: () => document.getElementById(reasonId)?.focus(),
    },
    ...verdictKeys,
    { keys: 'r', label: t('review.keys.return'), run: () => chooseVerdict('RETURN') },
    { keys: 'e', label: t('review.keys.escalate'), run: () => chooseVerdict('ESCALATE') },
    { keys: '+', label: t('review.keys.larger'), run: view.larger },
    { keys: '-', label: t('review.keys.smaller'), run: view.smaller },
    { keys: '0', label: t('review.keys.fit'), run: view.fitWidth },
    { keys: 'o', label: t('review.keys.rotate'), run: view.rotate },
    { keys: 'n', label: t('review.keys.next'), run: claimNext },
    { keys: 'q', label: t('review.keys.queue'), run: () => void navigate({ to: '/queue' }) },
  ];
  return { keys, refused };
}
