// The rehearsals of a proposed policy: its recorded ones, and for administrators another one.
import type { PolicyRehearsalsProps } from '../../ui/policy-rehearsals';
import RecordedRehearsals from './RecordedRehearsals';
import { RehearsalDetails } from './RehearsalDetails';
import TextRehearsal from './TextRehearsal';

export function PolicyRehearsals({ proposalId, text, rehearses, brief }: PolicyRehearsalsProps) {
  const proposal = { id: proposalId, key: 'policy' };
  if (brief) return <RecordedRehearsals proposal={proposal} kind="policy" brief />;
  return (
    <>
      {rehearses && (
        <RehearsalDetails>
          <TextRehearsal proposalId={proposalId} kind="policy" text={text} ready />
        </RehearsalDetails>
      )}
      <RecordedRehearsals proposal={proposal} kind="policy" />
    </>
  );
}
