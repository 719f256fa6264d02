// The rehearsals of a proposed policy: its recorded ones, and for administrators another one.
import { useTranslation } from 'react-i18next';
import type { PolicyRehearsalsProps } from '../../ui/policy-rehearsals';
import RecordedRehearsals from './RecordedRehearsals';
import TextRehearsal from './TextRehearsal';

export function PolicyRehearsals({ proposalId, text, rehearses, brief }: PolicyRehearsalsProps) {
  const { t } = useTranslation();
  const proposal = { id: proposalId, key: 'policy' };
  if (brief) return <RecordedRehearsals proposal={proposal} kind="policy" brief />;
  return (
    <>
      {rehearses && (
        <details>
          <summary>{t('rehearsal.title')}</summary>
          <TextRehearsal proposalId={proposalId} kind="policy" text={text} ready />
        </details>
      )}
      <RecordedRehearsals proposal={proposal} kind="policy" />
    </>
  );
}
