// What a change of a limit or a calendar would have done to recent cases, before it is proposed.
import type { ChangeRehearsalProps } from '../../ui/change-rehearsal';
import { CommonRehearsal } from './CommonRehearsal';
import { RehearsalDetails } from './RehearsalDetails';

export function ChangeRehearsal(props: ChangeRehearsalProps) {
  return (
    <RehearsalDetails>
      <CommonRehearsal {...props} />
    </RehearsalDetails>
  );
}
