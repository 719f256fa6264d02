// The outcome of the last reassignment in one notice. Each row shows its own outcome.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../ui/states';
import type { Context } from './reassign';

export function OutcomeNotice({ context, sending }: { context: Context; sending: boolean }) {
  const { t } = useTranslation();
  const notice = useRef<HTMLDivElement>(null);
  const { outcomes } = context;
  useEffect(() => {
    // The button that opened the dialog is gone with the selection.
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (!sending && outcomes.size > 0 && lost) notice.current?.focus({ preventScroll: true });
  }, [sending, outcomes]);
  if (sending || outcomes.size === 0) return null;
  const reassigned = [...outcomes.values()].filter(
    (outcome) => outcome.kind === 'reassigned',
  ).length;
  const failed = outcomes.size - reassigned;
  return (
    <div ref={notice} tabIndex={-1} style={{ marginBottom: 12 }}>
      <Notice tone={failed > 0 ? 'warn' : 'good'} icon={failed > 0 ? 'alert' : 'done'} live>
        {reassigned > 0 && <div>{t('manage.result.reassigned', { count: reassigned })}</div>}
        {failed > 0 && <div>{t('manage.result.failed', { count: failed })}</div>}
      </Notice>
    </div>
  );
}
