// The page of roles, limits and the policy, with the rehearsals of proposed policies and of limits.
import { AuthorityPage as Page } from '../features/authority/AuthorityPage';
import { ChangeRehearsal } from '../features/definitions/ChangeRehearsal';
import { PolicyRehearsals } from '../features/definitions/PolicyRehearsals';

export function AuthorityPage() {
  return <Page Rehearsals={PolicyRehearsals} ChangeRehearsal={ChangeRehearsal} />;
}
