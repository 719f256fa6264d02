// The current session as the server reported it. It is not stored in the browser.
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

/** A signed-in user. */
export interface SignedInPerson {
  id: string;
  name: string;
  email: string;
  roles: Role[];
  queues: string[];
  locale: string;
  /** What the user chose about the layout of the pages. */
  settings?: { hidden_menu?: number; side_width?: number };
  /** No second administrator can confirm what the user proposes. */
  onlyAdministrator?: boolean;
}

/**
 * Whether a user is signed in. An ended session keeps the user, so that the page behind the dialog
 * stays.
 */
export type Session =
  | { state: 'unknown' }
  | { state: 'signedOut' }
  | { state: 'signedIn'; person: SignedInPerson }
  | { state: 'ended'; person: SignedInPerson };

export const session = makeStore<Session>({ state: 'unknown' });

/** The domain for which passkeys are made; empty if they are off. */
export const passkeyDomain = makeStore('');

/** The ways to sign in besides passkeys. */
export const signInWays = makeStore<{
  passwords: boolean;
  providers: readonly { name: string; label: string }[];
}>({ passwords: true, providers: [] });

/** Called when the server reports that the session has ended. */
export function sessionEnded(): void {
  const now = session.get();
  if (now.state === 'signedIn') session.set({ state: 'ended', person: now.person });
}

/** The signed-in user, also after the session has ended; null before. */
export function usePerson(): SignedInPerson | null {
  const now = useStore(session);
  return now.state === 'signedIn' || now.state === 'ended' ? now.person : null;
}

/** Whether the session is active. */
export function useSignedIn(): boolean {
  return useStore(session).state === 'signedIn';
}

/** Whether the user has one of the roles. */
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

/** The first page of a user, by role. */
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

/** The number of characters that a password needs on the pages. */
export const shortestPassword = 12;
