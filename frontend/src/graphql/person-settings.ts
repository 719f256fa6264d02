// What the user chose about the layout of the pages. The server sends it with the session, and keeps it with the
// account, so every browser of the user has it.
import type { Client } from 'urql';
import type { SignedInPerson } from '../lib/session';
import type { PersonSettingName } from './generated/graphql';

export function keepPersonSetting(
  client: Client,
  person: SignedInPerson | null,
  name: PersonSettingName,
  value: number,
): void {
  if (!person) return;
  person.settings = { ...person.settings, [name.toLowerCase()]: value };
  import('./send-person-setting').then(
    ({ sendPersonSetting }) => sendPersonSetting(client, name, value),
    () => undefined, // without a connection, it holds until the page is closed
  );
}
