// The keys of the desk. What a key cannot do now, its button says.
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { PageKey } from '../../ui/KeyHelp';
import type { PageView } from '../../ui/page-view';
import type { Verdict } from './review-machine';
import type { Next } from './use-next';
import type { ReviewDesk } from './use-review';

interface Hands {
  desk: ReviewDesk;
  view: PageView;
  next: Next;
  pick: (field: string) => void;
}

const reasonId = 'review-reason';

export function useDeskKeys({ desk, view, next, pick }: Hands): PageKey[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const ask = (verdict: Verdict) => {
    const { snapshot } = desk;
    if (snapshot.can({ type: 'ASK', verdict })) desk.ask(verdict);
    // The only thing missing may be the reason: then that is where the hands go.
    else if (snapshot.matches({ mine: 'resting' })) document.getElementById(reasonId)?.focus();
  };
  const first = () =>
    pick(document.querySelector<HTMLElement>('[data-field][tabindex="0"]')?.dataset.field ?? '');
  const onward = () => {
    if (desk.snapshot.matches('done') || desk.snapshot.matches('closed')) next.claim();
  };
  return [
    { keys: 'f', label: t('review.keys.fields'), run: first },
    { keys: 's', ctrl: true, always: true, label: t('review.keys.save'), run: desk.save },
    { keys: 'c', label: t('review.keys.claim'), run: desk.claim },
    { keys: 'u', label: t('review.keys.release'), run: desk.release },
    {
      keys: 'w',
      label: t('review.keys.reason'),
      run: () => document.getElementById(reasonId)?.focus(),
    },
    { keys: 'a', label: t('review.keys.approve'), run: () => ask('APPROVE') },
    { keys: 'x', label: t('review.keys.reject'), run: () => ask('REJECT') },
    { keys: 'r', label: t('review.keys.return'), run: () => ask('RETURN') },
    { keys: 'e', label: t('review.keys.escalate'), run: () => ask('ESCALATE') },
    { keys: '+', label: t('review.keys.larger'), run: view.larger },
    { keys: '-', label: t('review.keys.smaller'), run: view.smaller },
    { keys: '0', label: t('review.keys.fit'), run: view.fitWidth },
    { keys: 'o', label: t('review.keys.rotate'), run: view.rotate },
    { keys: 'n', label: t('review.keys.next'), run: onward },
    { keys: 'q', label: t('review.keys.queue'), run: () => void navigate({ to: '/queue' }) },
  ];
}
