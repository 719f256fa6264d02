// Who is signed in, as the server told it. Nothing of it is kept in the browser.
import { makeStore, useStore } from './store';

/** The built-in roles, as /auth/me names them. */
export type Role =
  | 'submitter'
  | 'reviewer_l1'
  | 'reviewer_senior'
  | 'reviewer_l2'
  | 'reviewer_aml'
  | 'manager'
  | 'auditor'
  | 'administrator'
  | 'external_worker';

/** A signed-in person. */
export interface SignedInPerson {
  id: string;
  name: string;
  email: string;
  roles: Role[];
  queues: string[];
  locale: string;
}

/** Whether somebody is signed in. An ended session keeps the person, so that the page behind the sheet stays. */
export type Session =
  | { state: 'unknown' }
  | { state: 'nobody' }
  | { state: 'signedIn'; person: SignedInPerson }
  | { state: 'ended'; person: SignedInPerson };

export const session = makeStore<Session>({ state: 'unknown' });

/** Called wherever the server says that nobody is signed in any more. */
export function sessionEnded(): void {
  const now = session.get();
  if (now.state === 'signedIn') session.set({ state: 'ended', person: now.person });
}

/** Who is signed in, or was until the session ended; null before. */
export function usePerson(): SignedInPerson | null {
  const now = useStore(session);
  return now.state === 'signedIn' || now.state === 'ended' ? now.person : null;
}

/** Whether the server takes commands of this page now. */
export function useSignedIn(): boolean {
  return useStore(session).state === 'signedIn';
}

/** Whether the person has one of the roles. */
export function hasRole(person: SignedInPerson | null, ...roles: Role[]): boolean {
  return person?.roles.some((role) => roles.includes(role)) ?? false;
}

export const reviewerRoles: Role[] = [
  'reviewer_l1',
  'reviewer_senior',
  'reviewer_l2',
  'reviewer_aml',
  'manager',
];

/** The page a person begins on. */
export function startPage(
  person: SignedInPerson,
): '/intake' | '/queue' | '/manage' | '/cases' | '/admin/people' | '/audit' {
  if (hasRole(person, 'manager')) return '/manage';
  if (hasRole(person, ...reviewerRoles)) return '/queue';
  if (hasRole(person, 'submitter')) return '/intake';
  if (hasRole(person, 'administrator')) return '/admin/people';
  if (hasRole(person, 'auditor')) return '/audit';
  return '/cases';
}
