// Fails when the generated documents are not what the generator writes from the schema and the documents of the pages.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../src/graphql/generated/', import.meta.url);
const written = () =>
  readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(new URL(name, folder)))
          .digest('hex')}`,
    )
    .join('\n');

const before = written();
execFileSync('npx', ['--no-install', 'graphql-codegen', '--config', 'codegen.ts', '--silent'], {
  stdio: 'inherit',
});
if (written() !== before) {
  console.error(
    'The generated documents were not up to date; they are written anew now: look at them and commit (npm run generate).',
  );
  process.exit(1);
}
