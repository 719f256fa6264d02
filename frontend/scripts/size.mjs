// Prints the compressed JavaScript that a first visit loads: the entry, what it imports statically, and the pages named.
//   node scripts/size.mjs [page ...]     the pages of the figure are SignIn and QueuePage
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const assets = new URL('../dist/app/assets/', import.meta.url);
const files = readdirSync(assets).filter((name) => name.endsWith('.js'));
const html = readFileSync(new URL('../dist/app/index.html', import.meta.url), 'utf8');
const wanted =
  process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['SignIn', 'QueuePage', 'en'];

const seen = new Set();
const visit = (name) => {
  if (seen.has(name) || !files.includes(name)) return;
  seen.add(name);
  const text = readFileSync(new URL(name, assets), 'utf8');
  for (const [, other] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
    visit(other);
};
for (const [, name] of html.matchAll(/assets\/([^"']+\.js)/g)) visit(name);
for (const page of wanted) for (const name of files) if (name.startsWith(`${page}-`)) visit(name);

let total = 0;
for (const name of [...seen].sort()) {
  const size = gzipSync(readFileSync(new URL(name, assets)), { level: 9 }).length;
  total += size;
  console.log(`${String(Math.round(size / 100) / 10).padStart(8)} kB  ${name}`);
}
console.log(`${String(Math.round(total / 100) / 10).padStart(8)} kB  together, gzip`);
