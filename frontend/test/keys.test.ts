// A key has one meaning on every page: what moves or selects a row in a list decides nothing on the desk.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const lists = ['queue/QueuePage.tsx', 'case/use-case-keys.ts', 'manage/ManagePage.tsx'];
/** The keys that mean the same in a list of reviews and on the desk. */
const shared = ['c', 'n'];

function keysOf(path: string): string[] {
  const source = readFileSync(`src/features/${path}`, 'utf8');
  return [...source.matchAll(/keys: '(.)'(?!,\s*ctrl)/g)].flatMap(([, key]) => key ?? []);
}

it('gives no key of a list another meaning on the desk', () => {
  const desk = keysOf('review/use-review-keys.ts');
  const ofLists = lists.flatMap(keysOf);
  expect(desk).toEqual(expect.arrayContaining(['a', 'd', 's']));
  expect(ofLists).toEqual(expect.arrayContaining(['j', 'k', 'x']));
  expect(desk.filter((key) => ofLists.includes(key)).sort()).toEqual(shared);
});
