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

async function request<T>(
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
  const response = await request<{ user: SignedInPerson }>('GET', '/auth/me');
  if ('ok' in response) session.set({ state: 'signedIn', person: response.ok.user });
  else if (response.status === 401) session.set({ state: 'nobody' });
  else return response.failure;
  return null;
}

/** Reads what the server offers; a server that does not answer leaves the standard. */
export async function findOptions(): Promise<void> {
  const response = await request<{
    demo?: { people?: DemoPerson[] };
    upload?: Partial<UploadLimits>;
  }>('GET', '/auth/options');
  if (!('ok' in response)) return;
  const { demo, upload } = response.ok;
  demoPeople.set(demo?.people ?? []);
  uploadLimits.set({ ...uploadLimits.get(), ...upload });
}

/** Signs in; the failure says why it did not work. */
export async function signIn(email: string, password: string): Promise<Failure | null> {
  const response = await request<{ user: SignedInPerson }>('POST', '/auth/sign-in', {
    email,
    password,
  });
  if ('failure' in response) return response.failure;
  session.set({ state: 'signedIn', person: response.ok.user });
  return null;
}

/** Signs out and leaves nothing of the person behind in the page. */
export async function signOut(): Promise<void> {
  await request('POST', '/auth/sign-out');
  location.assign('/sign-in');
}
