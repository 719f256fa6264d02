// Changing the user's own password.
import { signedRequest } from '../../lib/passkeys';
import type { Failure } from '../../lib/refusals';
import { request } from '../../lib/rest';

/** Changes the password; a user with passkeys confirms with one. Returns the failure, or null. */
export async function changePassword(
  password: string,
  newPassword: string,
): Promise<Failure | null> {
  const send = (assertion?: object) =>
    request('POST', '/auth/password', { password, newPassword, ...(assertion && { assertion }) });
  let answer = await send();
  if ('failure' in answer && answer.failure.code === 'PasskeyRequired')
    answer = await signedRequest('/auth/passkeys/confirmation', send);
  return 'failure' in answer ? answer.failure : null;
}
