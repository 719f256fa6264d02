// Sign-in and sign-out by the server's REST endpoints.

import { type UploadLimits, uploadLimits } from '../lib/files';
import { dropAllNotes } from '../lib/note-draft';
import { signedRequest } from '../lib/passkeys';
import type { Failure } from '../lib/refusals';
import { request } from '../lib/rest';
import { passkeyDomain, type SignedInPerson, session, signInWays } from '../lib/session';
import { makeStore } from '../lib/store';

/** An account of the demo data. */
export interface DemoPerson {
  name: string;
  email: string;
  password: string;
  roles: string[];
}

/** The demo accounts to choose from; empty outside the demo. */
export const demoPeople = makeStore<readonly DemoPerson[]>([]);

/** Reads the current session; returns the failure if the server did not answer the question. */
export async function findSession(): Promise<Failure | null> {
  const response = await request<{ user: SignedInPerson }>('GET', '/auth/me');
  if ('ok' in response) session.set({ state: 'signedIn', person: response.ok.user });
  else if (response.status === 401) session.set({ state: 'signedOut' });
  else return response.failure;
  return null;
}

/** Reads the server's options; if the request fails, the defaults stay. */
export async function findOptions(): Promise<void> {
  const response = await request<{
    demo?: { people?: DemoPerson[] };
    upload?: Partial<UploadLimits>;
    passkeys?: string;
    passwords?: boolean;
    providers?: { name: string; label: string }[];
  }>('GET', '/auth/options');
  if (!('ok' in response)) return;
  const { demo, upload, passkeys, passwords = true, providers = [] } = response.ok;
  signInWays.set({ passwords, providers });
  passkeyDomain.set(passkeys ?? '');
  demoPeople.set(demo?.people ?? []);
  uploadLimits.set({ ...uploadLimits.get(), ...upload });
}

/** Signs in; returns the failure, or null on success. */
export async function signIn(email: string, password: string): Promise<Failure | null> {
  const response = await request<{ user: SignedInPerson }>('POST', '/auth/sign-in', {
    email,
    password,
  });
  if ('failure' in response) return response.failure;
  session.set({ state: 'signedIn', person: response.ok.user });
  return null;
}

/** Signs in with a passkey; returns the failure, or null on success. */
export async function signInWithPasskey(): Promise<Failure | null> {
  const response = await signedRequest('/auth/passkey/options', (assertion) =>
    request<{ user: SignedInPerson }>('POST', '/auth/passkey/sign-in', assertion),
  );
  if ('failure' in response) return response.failure;
  session.set({ state: 'signedIn', person: response.ok.user });
  return null;
}

/** Sets the password of the person whose one-time link it is; returns the failure, or null. */
export async function choosePassword(secret: string, password: string): Promise<Failure | null> {
  const response = await request('POST', '/auth/choose-password', { secret, password });
  return 'failure' in response ? response.failure : null;
}

/** Signs out and reloads the application, so that no data of the user stays in the page. */
export async function signOut(): Promise<void> {
  await request('POST', '/auth/sign-out');
  dropAllNotes();
  location.assign('/sign-in');
}
