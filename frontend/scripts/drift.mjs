// Fails when the generated documents and indexes of messages are not what the generator writes from the schema, the
// documents of the pages and their texts.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../src/graphql/generated/', import.meta.url);
const indexes = ['en', 'zh', 'start/en', 'start/zh', 'page-texts'].map(
  (name) => new URL(`../src/i18n/${name}.ts`, import.meta.url),
);
const written = () =>
  [
    ...readdirSync(folder)
      .sort()
      .map((name) => new URL(name, folder)),
    ...indexes,
  ]
    .map(
      (file) => `${file.pathname} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`,
    )
    .join('\n');

const before = written();
execFileSync('npx', ['--no-install', 'graphql-codegen', '--config', 'codegen.ts', '--silent'], {
  stdio: 'inherit',
});
if (written() !== before) {
  console.error(
    'The generated files were not up to date. They have been written again: review and commit them (npm run generate).',
  );
  process.exit(1);
}
