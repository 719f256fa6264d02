// The user's passkeys: listing, adding and removing them.
import { cancelled, signedRequest } from '../../lib/passkeys';
import type { Failure } from '../../lib/refusals';
import { request } from '../../lib/rest';

/** Whether this browser, at this address, can use passkeys of the domain. */
export const canUsePasskeys = (domain: string): boolean =>
  domain !== '' &&
  location.hostname === domain &&
  typeof PublicKeyCredential === 'function' &&
  typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function';

/** The result of making a passkey; `known` says that the authenticator is registered already. */
export type NewPasskey = { credential: unknown } | { known: boolean };

/** Makes a passkey by the server's options (PublicKeyCredentialCreationOptionsJSON). */
export async function makePasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<NewPasskey> {
  try {
    const credential = await navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    });
    if (!credential) return { known: false };
    return { credential: (credential as PublicKeyCredential).toJSON() };
  } catch (error) {
    return { known: error instanceof DOMException && error.name === 'InvalidStateError' };
  }
}

/** A passkey of the user. */
export interface Passkey {
  id: string;
  name: string;
  synced: boolean;
  at: string;
  usedAt: string | null;
}

export const listPasskeys = () => request<{ passkeys: Passkey[] }>('GET', '/auth/passkeys');

const confirmation = '/auth/passkeys/confirmation';

/** Adds the first passkey by the password, and further ones (null) by one that the user has. */
export async function addPasskey(name: string, password: string | null): Promise<Failure | null> {
  const ask = (proof: object) =>
    request<PublicKeyCredentialCreationOptionsJSON>('POST', '/auth/passkeys/options', proof);
  const options =
    password !== null
      ? await ask({ password })
      : await signedRequest(confirmation, (assertion) => ask({ assertion }));
  if ('failure' in options) return options.failure;
  const made = await makePasskey(options.ok);
  if ('known' in made)
    return made.known ? { code: 'PasskeyKnown', message: '' } : cancelled.failure;
  const added = await request('POST', '/auth/passkeys', { name, credential: made.credential });
  return 'failure' in added ? added.failure : null;
}

/** Removes a passkey, which one of the user's passkeys confirms. */
export async function removePasskey(id: string): Promise<Failure | null> {
  const removed = await signedRequest(confirmation, (assertion) =>
    request('POST', '/auth/passkeys/remove', { id, assertion }),
  );
  return 'failure' in removed ? removed.failure : null;
}
