// What the user chose about the layout of the pages. The server sends it with the session and keeps it with the
// account, so every browser of the user has it. A value that cannot be sent is no reason for a message: it holds until
// the page is closed.
import type { Client } from 'urql';
import { newKey } from '../lib/keys';
import type { SignedInPerson } from '../lib/session';
import { whenConnected } from './connection';
import type { PersonSettingName } from './generated/graphql';
import { SetPersonSetting } from './person-settings.graphql';
import { isLost } from './resend';

/** The values to store. Those that are chosen while one is sent follow it, the last one only. */
const waiting = new Map<PersonSettingName, number>();
let sending = false;

export function keepPersonSetting(
  client: Client,
  person: SignedInPerson | null,
  name: PersonSettingName,
  value: number,
): void {
  if (!person) return;
  person.settings = { ...person.settings, [name.toLowerCase()]: value };
  waiting.set(name, value);
  if (!sending) void sendAll(client, true);
}

async function sendAll(client: Client, again: boolean): Promise<void> {
  sending = true;
  for (const [name, value] of waiting) {
    waiting.delete(name);
    const input = { name, value, idempotencyKey: newKey() };
    const { error } = await client.mutation(SetPersonSetting, { input }).toPromise();
    if (!isLost(error)) continue;
    if (!waiting.has(name)) waiting.set(name, value);
    if (again) whenConnected(() => void sendAll(client, false));
    break;
  }
  sending = false;
}
