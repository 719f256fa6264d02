// Packs the page that was just built and puts it where the server embeds it, in one move: whoever compiles the server
// meanwhile finds the page of before or this one, never half of one.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

const path = (name) => new URL(`../${name}`, import.meta.url).pathname;

// Brotli is a tenth smaller than gzip and too slow to do while somebody waits; the server sends it to who takes it.
const assets = path('.built/assets');
for (const name of readdirSync(assets).filter((name) => /\.(js|css)$/.test(name))) {
  writeFileSync(`${assets}/${name}.br`, brotliCompressSync(readFileSync(`${assets}/${name}`)));
}

const aside = mkdtempSync(path('.built-'));
if (existsSync(path('dist/app'))) renameSync(path('dist/app'), `${aside}/app`);
renameSync(path('.built'), path('dist/app'));
rmSync(aside, { recursive: true, force: true });
