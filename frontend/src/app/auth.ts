// Signing in and out: the server's own addresses beside GraphQL.
import { type UploadLimits, uploadLimits } from '../lib/files';
import type { Failure } from '../lib/refusals';
import { type SignedInPerson, session } from '../lib/session';
import { makeStore } from '../lib/store';

/** One of the demo's made-up people. */
export interface DemoPerson {
  name: string;
  email: string;
  password: string;
  roles: string[];
}

/** People offered to choose from; nobody outside of the demo. */
export const demoPeople = makeStore<readonly DemoPerson[]>([]);

async function ask<T>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ ok: T } | { failure: Failure; status: number }> {
  try {
    const response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed: unknown = text === '' ? {} : JSON.parse(text);
    if (response.ok) return { ok: parsed as T };
    const { error } = parsed as { error?: Failure };
    return { failure: error ?? { code: 'Internal', message: '' }, status: response.status };
  } catch {
    return { failure: { code: 'Network', message: '' }, status: 0 };
  }
}

/** Finds out who is signed in; what stands in the way else is returned. */
export async function findSession(): Promise<Failure | null> {
  const answer = await ask<{ user: SignedInPerson }>('GET', '/auth/me');
  if ('ok' in answer) session.set({ state: 'signedIn', person: answer.ok.user });
  else if (answer.status === 401) session.set({ state: 'nobody' });
  else return answer.failure;
  return null;
}

/** Reads what the server offers; a server that does not answer leaves the standard. */
export async function findOptions(): Promise<void> {
  const answer = await ask<{ demo?: { people?: DemoPerson[] }; upload?: Partial<UploadLimits> }>(
    'GET',
    '/auth/options',
  );
  if (!('ok' in answer)) return;
  const { demo, upload } = answer.ok;
  demoPeople.set(demo?.people ?? []);
  uploadLimits.set({ ...uploadLimits.get(), ...upload });
}

/** Signs in; the failure says why it did not work. */
export async function signIn(email: string, password: string): Promise<Failure | null> {
  const answer = await ask<{ user: SignedInPerson }>('POST', '/auth/sign-in', { email, password });
  if ('failure' in answer) return answer.failure;
  session.set({ state: 'signedIn', person: answer.ok.user });
  return null;
}

/** Signs out and leaves nothing of the person behind in the page. */
export async function signOut(): Promise<void> {
  await ask('POST', '/auth/sign-out');
  location.assign('/sign-in');
}
