import { expect, test } from 'vitest';
import { type Account, type SavedAccount, savePerson } from './save-person';

const account: Account = {
  email: 'jo@example.com',
  name: 'Jo',
  roles: ['reviewer_l1'],
  queues: [],
  disabled: false,
  employeeId: '',
};

/** A server that knows one user, and refuses values that are not the present ones. */
function server(skills: string[]) {
  const state = { version: 3, skills, accounts: 0, keys: 0 };
  return {
    state,
    present: () => ({ id: 'jo', version: String(state.version), skills: [...state.skills] }),
    commands: {
      account: async ({ expectedVersion }: { expectedVersion: string | null }) => {
        if (expectedVersion !== String(state.version)) return null;
        state.accounts++;
        state.version++;
        return { id: 'jo', waits: false };
      },
      skills: async (change: { skills: readonly string[]; expectedSkills: readonly string[] }) => {
        if (change.expectedSkills.join() !== state.skills.join()) return null;
        state.skills = [...change.skills];
        state.version++;
        return { waits: false };
      },
      requests: async () => {
        state.keys++;
        return true;
      },
    },
  };
}

test('a second press after stale skills sends them from the present ones, and the account once', async () => {
  const { state, present, commands } = server(['french']);
  const opened = present();
  state.skills = ['french', 'customs']; // a colleague
  const entered = { account, skills: ['french', 'tax'], requests: { key: 5 } };
  const first = await savePerson(entered, opened, null, commands);
  expect(first.outcome).toBe('refused');
  expect(state.accounts).toBe(1);
  expect(state.skills).toEqual(['french', 'customs']);
  // Without reading again it is refused again, and changes nothing.
  const blind = await savePerson(entered, opened, first.saved, commands);
  expect(blind.outcome).toBe('refused');
  expect(state.accounts).toBe(1);
  const second = await savePerson(entered, present(), first.saved, commands);
  expect(second.outcome).toBe('done');
  expect(state.accounts).toBe(1);
  expect(state.skills).toEqual(['french', 'tax']);
  expect(state.keys).toBe(1);
});

test('an account that is changed between two presses is sent with the present version', async () => {
  const { state, present, commands } = server(['french']);
  const opened = present();
  state.skills = ['customs'];
  const first = await savePerson(
    { account, skills: ['tax'], requests: {} },
    opened,
    null,
    commands,
  );
  const second = await savePerson(
    { account: { ...account, name: 'Jo Park' }, skills: ['tax'], requests: {} },
    present(),
    first.saved,
    commands,
  );
  expect(second.outcome).toBe('done');
  expect(state.accounts).toBe(2);
});

test('a new user is created once, and one who waits for confirmation gets no skills', async () => {
  let created = 0;
  let answered: SavedAccount['id'] = 'new';
  let skills = 0;
  const commands = {
    account: async ({ personId }: { personId: string | null }) => {
      if (personId === null) created++;
      return { id: answered, waits: answered === null };
    },
    skills: async () => (++skills > 1 ? { waits: true } : null),
    requests: async () => true,
  };
  const entered = { account, skills: ['tax'], requests: {} };
  const first = await savePerson(entered, null, null, commands);
  const second = await savePerson(entered, null, first.saved, commands);
  expect([first.outcome, second.outcome, created]).toEqual(['refused', 'partWaits', 1]);
  const renamed = { ...entered, account: { ...account, name: 'Jo Park' } };
  await savePerson(renamed, null, second.saved, commands);
  expect(created).toBe(1);
  answered = null;
  expect((await savePerson(entered, null, null, commands)).outcome).toBe('waits');
  expect(skills).toBe(3);
});
