// Compresses the page that was just built and moves it to the folder that the server embeds, in one rename: a concurrent
// build of the server finds the previous page or this one, never a part of one.
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

// Brotli is a tenth smaller than gzip and too slow for each request; the server sends it to clients that accept it.
const assets = path('.built/assets');
for (const name of readdirSync(assets).filter((name) => /\.(js|css)$/.test(name))) {
  writeFileSync(`${assets}/${name}.br`, brotliCompressSync(readFileSync(`${assets}/${name}`)));
}

const aside = mkdtempSync(path('.built-'));
if (existsSync(path('dist/app'))) renameSync(path('dist/app'), `${aside}/app`);
renameSync(path('.built'), path('dist/app'));
rmSync(aside, { recursive: true, force: true });
