// What a proposed rule set or policy would have done to recent cases, for those who decide about it.
import { useTranslation } from 'react-i18next';
import { RehearsalCard } from './RehearsalCard';
import { useStepTitles } from './use-step-titles';

interface TextRehearsalProps {
  proposalId: string;
  kind: 'rules' | 'policy';
  text: string;
  /** Whether the text is sound. */
  ready: boolean;
}

export default function TextRehearsal({ proposalId, kind, text, ready }: TextRehearsalProps) {
  const { t } = useTranslation();
  const names = useStepTitles();
  return (
    <RehearsalCard
      change={kind === 'rules' ? { rules: text } : { policy: text }}
      disabledReason={ready ? null : t('rehearsal.notReady')}
      processKey={null}
      proposalId={proposalId}
      names={names}
    />
  );
}
