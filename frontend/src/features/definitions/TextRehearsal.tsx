// What a proposed rule set or policy would have done to recent cases, for those who decide about it.
import { useTranslation } from 'react-i18next';
import { CommonRehearsal } from './CommonRehearsal';

interface TextRehearsalProps {
  proposalId: string;
  kind: 'rules' | 'policy';
  text: string;
  /** Whether the text is sound. */
  ready: boolean;
}

export default function TextRehearsal({ proposalId, kind, text, ready }: TextRehearsalProps) {
  const { t } = useTranslation();
  return (
    <CommonRehearsal
      change={kind === 'rules' ? { rules: text } : { policy: text }}
      disabledReason={ready ? null : t('rehearsal.notReady')}
      proposalId={proposalId}
    />
  );
}
