// The outcome of the last reassignment in one notice. Each row shows its own outcome.
import { useTranslation } from 'react-i18next';
import { Notice } from '../../ui/states';
import type { Context } from './reassign';

export function OutcomeNotice({ context, sending }: { context: Context; sending: boolean }) {
  const { t } = useTranslation();
  if (sending || context.outcomes.size === 0) return null;
  const reassigned = [...context.outcomes.values()].filter(
    (outcome) => outcome.kind === 'reassigned',
  ).length;
  const failed = context.outcomes.size - reassigned;
  return (
    <div style={{ marginBottom: 12 }}>
      <Notice tone={failed > 0 ? 'warn' : 'good'} icon={failed > 0 ? 'alert' : 'done'} live>
        {reassigned > 0 && <div>{t('manage.result.reassigned', { count: reassigned })}</div>}
        {failed > 0 && <div>{t('manage.result.failed', { count: failed })}</div>}
      </Notice>
    </div>
  );
}
