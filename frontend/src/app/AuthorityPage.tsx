// The page of roles, limits and the policy, with the rehearsals of proposed policies.
import { AuthorityPage as Page } from '../features/authority/AuthorityPage';
import { PolicyRehearsals } from '../features/definitions/PolicyRehearsals';

export function AuthorityPage() {
  return <Page Rehearsals={PolicyRehearsals} />;
}
