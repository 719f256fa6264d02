// What the pages of limits and calendars need of rehearsals, which belong to another feature.
import type { RehearsalChangeInput } from '../graphql/generated/graphql';

export interface ChangeRehearsalProps {
  /** The change of the form; null while it is incomplete. */
  change: RehearsalChangeInput | null;
  /** Why the form is incomplete; null if it is not. */
  disabledReason: string | null;
}
