// Passkeys in the browser: asks the authenticator to sign.
import { type Answer, request } from './rest';

/** What the server asks to sign (PublicKeyCredentialRequestOptionsJSON). */
export type PasskeyRequest = PublicKeyCredentialRequestOptionsJSON;

/** The authenticator's signature (AuthenticationResponseJSON). */
export interface PasskeyResponse {
  id: string;
  rawId: string;
  type: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
}

/** Asks a passkey to sign; null if the user cancelled or has no passkey that fits. */
export async function askPasskey(request: PasskeyRequest): Promise<PasskeyResponse | null> {
  try {
    const credential = await navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(request),
    });
    return credential && ((credential as PublicKeyCredential).toJSON() as PasskeyResponse);
  } catch {
    return null;
  }
}

/** The user or the browser did not let a passkey sign. */
export const cancelled = { failure: { code: 'PasskeyCancelled', message: '' }, status: 0 };

/** Lets a passkey sign the challenge of an endpoint, and sends what `use` makes of it. */
export async function signedRequest<T>(
  path: string,
  use: (assertion: PasskeyResponse) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const asked = await request<PasskeyRequest>('POST', path);
  if ('failure' in asked) return asked;
  const signed = await askPasskey(asked.ok);
  return signed ? use(signed) : cancelled;
}
