// What the dialog of a user sends: the account, then the skills, then the requests of the keys. A second press after a
// refusal sends only what was not saved, with the values that the page has read since.

/** The account as the dialog has it. */
export interface Account {
  email: string;
  name: string;
  roles: readonly string[];
  queues: readonly string[];
  disabled: boolean;
  employeeId: string;
}

/** The user whom the dialog changes, as the page read them last. */
export interface Present {
  id: string;
  version: string;
  skills: readonly string[];
}

/** A saved account: a second press does not send it again. */
export interface SavedAccount {
  sent: string;
  /** Null if a second administrator has to confirm the new user. */
  id: string | null;
  waits: boolean;
}

interface Commands {
  account: (
    account: Account & { personId: string | null; expectedVersion: string | null },
  ) => Promise<{ id: string | null; waits: boolean } | null>;
  skills: (change: {
    personId: string;
    skills: readonly string[];
    expectedSkills: readonly string[];
  }) => Promise<{ waits: boolean } | null>;
  requests: (tokenId: string, perMinute: number | null) => Promise<boolean>;
}

interface Entered {
  account: Account;
  skills: readonly string[];
  requests: Readonly<Record<string, number | null>>;
}

/** How the command ended: nothing more to send, or a refusal that the dialog shows. */
export type Outcome = 'waits' | 'partWaits' | 'done' | 'refused';

const sameTexts = (one: readonly string[], other: readonly string[]) =>
  JSON.stringify([...one].sort()) === JSON.stringify([...other].sort());

/** Sends what is not saved yet. `saved` is the account of an earlier press, null before the first one. */
export async function savePerson(
  { account, skills, requests }: Entered,
  present: Present | null,
  saved: SavedAccount | null,
  send: Commands,
): Promise<{ outcome: Outcome; saved: SavedAccount | null }> {
  const sent = JSON.stringify(account);
  let now = saved?.sent === sent ? saved : null;
  if (!now) {
    const personId = present?.id ?? saved?.id ?? null;
    const answer = await send.account({
      ...account,
      personId,
      expectedVersion: present?.version ?? null,
    });
    if (!answer) return { outcome: 'refused', saved };
    now = { sent, ...answer };
  }
  if (now.id === null) return { outcome: 'waits', saved: now };
  let waits = now.waits;
  const before = present?.skills ?? [];
  if (!sameTexts(skills, before)) {
    const answer = await send.skills({ personId: now.id, skills, expectedSkills: before });
    if (!answer) return { outcome: 'refused', saved: now };
    waits ||= answer.waits;
  }
  for (const [tokenId, perMinute] of Object.entries(requests)) {
    if (!(await send.requests(tokenId, perMinute))) return { outcome: 'refused', saved: now };
  }
  return { outcome: waits ? 'partWaits' : 'done', saved: now };
}
