// Requests to the server's REST endpoints.
import type { Failure } from './refusals';
import { tracedFetch } from './trace';

export type Answer<T> = { ok: T } | { failure: Failure; status: number };

/** Sends a request with a JSON body and returns the answer, or the failure with the status. */
export async function request<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
  try {
    const response = await tracedFetch()(path, {
      method,
      ...(body !== undefined && {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
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
