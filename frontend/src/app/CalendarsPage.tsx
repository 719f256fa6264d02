// The page of the working calendars, with the rehearsal of a changed one.
import { ChangeRehearsal } from '../features/definitions/ChangeRehearsal';
import { CalendarsPage as Page } from '../features/schedule/CalendarsPage';

export function CalendarsPage() {
  return <Page ChangeRehearsal={ChangeRehearsal} />;
}
