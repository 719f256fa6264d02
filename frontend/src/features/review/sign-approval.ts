// Signs an approval with the reviewer's passkey.
import type { Client, CombinedError } from 'urql';
import type { PasskeyAssertionInput, PrepareApprovalInput } from '../../graphql/generated/graphql';
import { askPasskey } from '../../lib/passkeys';
import type { Refusal } from '../../lib/refusals';
import { PrepareApproval } from './review.graphql';

type Refusals = readonly (Refusal & { values: readonly { name: string; value: string }[] })[];

/** The signature, null if none is needed, or why there is none. */
type Signed =
  | { signature: PasskeyAssertionInput | null }
  | { refusals: Refusals }
  | { error: CombinedError };

/** A refusal of the browser or the user. */
const unsigned: Refusals = [{ code: 'SignatureRequired', message: '', values: [] }];

export async function signApproval(client: Client, input: PrepareApprovalInput): Promise<Signed> {
  const { data, error } = await client.mutation(PrepareApproval, { input }).toPromise();
  if (error) return { error };
  const refusals = data?.prepareApproval.userErrors ?? [];
  if (refusals.length > 0) return { refusals };
  const request = data?.prepareApproval.signature;
  if (!request) return { signature: null };
  const answer = await askPasskey({
    challenge: request.challenge,
    rpId: request.relyingParty,
    userVerification: 'required',
    allowCredentials: request.credentialIds.map((id) => ({ type: 'public-key', id })),
  });
  if (!answer) return { refusals: unsigned };
  const { clientDataJSON, authenticatorData, signature } = answer.response;
  return {
    signature: { credentialId: answer.rawId, clientDataJSON, authenticatorData, signature },
  };
}
