// Puts the page that was just built where the server embeds it, in one move: whoever compiles the server meanwhile finds
// the page of before or this one, never half of one.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';

const path = (name) => new URL(`../${name}`, import.meta.url).pathname;
const aside = mkdtempSync(path('.built-'));
if (existsSync(path('dist/app'))) renameSync(path('dist/app'), `${aside}/app`);
renameSync(path('.built'), path('dist/app'));
rmSync(aside, { recursive: true, force: true });
