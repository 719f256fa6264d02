// What a proposed rule set or policy would have done to recent cases, for those who decide about it.
import { useTranslation } from 'react-i18next';
import { RehearsalCard } from './RehearsalCard';

interface TextRehearsalProps {
  proposalId: string;
  kind: 'rules' | 'policy';
  text: string;
  /** Whether the text is sound. */
  ready: boolean;
}

const noNames: ReadonlyMap<string, string> = new Map();

export default function TextRehearsal({ proposalId, kind, text, ready }: TextRehearsalProps) {
  const { t } = useTranslation();
  return (
    <RehearsalCard
      change={kind === 'rules' ? { rules: text } : { policy: text }}
      disabledReason={ready ? null : t('rehearsal.notReady')}
      processKey={null}
      proposalId={proposalId}
      names={noNames}
    />
  );
}
