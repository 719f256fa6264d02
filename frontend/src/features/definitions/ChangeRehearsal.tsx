// What a change of a limit or a calendar would have done to recent cases, before it is proposed.
import { useTranslation } from 'react-i18next';
import type { ChangeRehearsalProps } from '../../ui/change-rehearsal';
import { RehearsalCard } from './RehearsalCard';
import { useStepTitles } from './use-step-titles';

export function ChangeRehearsal({ change, disabledReason }: ChangeRehearsalProps) {
  const { t } = useTranslation();
  const names = useStepTitles();
  return (
    <details>
      <summary>{t('rehearsal.title')}</summary>
      <RehearsalCard
        change={change}
        disabledReason={disabledReason}
        processKey={null}
        names={names}
      />
    </details>
  );
}
