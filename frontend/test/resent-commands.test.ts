// Every command whose answer is lost is sent once more when the connection is back.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Modules that define commands, with the modules or the mark that send them once more. */
const sentBy: Record<string, readonly string[]> = {
  'src/features/case/commands.ts': [
    'src/features/case/AnswerPanel.tsx',
    'src/features/case/CasePage.tsx',
    'src/features/case/IncidentPanel.tsx',
  ],
  'src/features/definitions/version-commands.ts': [
    'src/features/definitions/Proposals.tsx',
    'src/features/definitions/ProposeButton.tsx',
    'src/features/definitions/RestoreButton.tsx',
  ],
  'src/features/review/order-commands.ts': ['src/features/review/use-review.ts'],
  'src/features/review/use-review.ts': ['src/features/review/use-review.ts'],
  'src/graphql/notes.ts': ['src/ui/notes/NoteForm.tsx'],
};

/** Commands that are not, and why. */
const exceptions: Record<string, string> = {
  CreateApiToken: 'the secret of a lost answer cannot be shown, and a second key would stay unused',
  HeartbeatReview: 'the next one follows by itself',
  PrepareApproval: 'part of an approval, which prepares another one',
  SaveDraft: 'the next save has the same text',
  SubmitDocument: 'the machine of the upload sends the file again',
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map(
  (path) => `src/${path.replaceAll('\\', '/')}`,
);
const resends = /useResend\(|sendThroughLoss\(|whenConnected\b/;
const read = (path: string) => readFileSync(path, 'utf8').replaceAll(/import [^;]*;/g, '');

test('every command is sent once more after its answer was lost', () => {
  const sources = files
    .filter((path) => /\.tsx?$/.test(path))
    .filter((path) => !/generated|\.test\.|\.graphql\.ts$/.test(path))
    .map((path) => [path, read(path)] as const);
  const commands = files
    .filter((path) => path.endsWith('.graphql.ts'))
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/export const (\w+) = graphql\(`\s*mutation /g)].map(
        ([, name = '']) => name,
      ),
    );
  expect(commands.length).toBeGreaterThan(100);
  const missing = commands.flatMap((name) => {
    if (name in exceptions) return [];
    const users = sources.filter(([, text]) => new RegExp(`\\b${name}\\b`).test(text));
    const unsafe = users.filter(([path, text]) => {
      if (new RegExp(`useCommand\\(\\s*${name}\\b`).test(text) || resends.test(text)) return false;
      const senders = sentBy[path] ?? [];
      return senders.length === 0 || senders.some((sender) => !resends.test(read(sender)));
    });
    return users.length === 0 ? [`${name}: unused`] : unsafe.map(([path]) => `${name}: ${path}`);
  });
  expect(missing).toEqual([]);
  expect(Object.keys(exceptions).filter((name) => !commands.includes(name))).toEqual([]);
});
