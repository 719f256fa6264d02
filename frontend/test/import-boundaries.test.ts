// Checks the permitted imports: app -> features -> graphql, ui, lib; never between features, never
// upward.
import { dirname, join } from 'node:path/posix';
import { expect, it } from 'vitest';
import { importsOf, type Source, sources } from './source';

const may: Record<string, string[]> = {
  app: ['features', 'graphql', 'ui', 'lib', 'i18n'],
  features: ['graphql', 'ui', 'lib', 'i18n'],
  graphql: ['lib'],
  ui: ['lib', 'i18n'],
  i18n: [],
  lib: [],
};

/** The layer of a path (app, ui …), and of a feature its name. */
function roomOf(path: string): { room: string; feature: string | null } {
  const [room = '', feature = ''] = path.split('/');
  return { room, feature: room === 'features' ? feature : null };
}

/** The generated events are plain types of the contracts, so lib may import them. */
const shared = 'graphql/generated/events';

function breachesOf(source: Pick<Source, 'path'>, imports: string[]): string[] {
  const from = roomOf(source.path);
  return imports
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(source.path), name))
    .filter((target) => {
      const to = roomOf(target);
      if (target.startsWith(shared)) return false;
      if (to.room === from.room) return to.feature !== from.feature;
      return !may[from.room]?.includes(to.room);
    })
    .map((target) => `${source.path} imports ${target}`);
}

it('keeps the fence', () => {
  expect(
    sources().flatMap((source) =>
      /\.test\.tsx?$/.test(source.path) ? [] : breachesOf(source, importsOf(source)),
    ),
  ).toEqual([]);
});

it('notices a breach', () => {
  const breach = (path: string, target: string) => breachesOf({ path }, [target]).length;
  expect(breach('features/queue/QueuePage.tsx', '../review/keys')).toBe(1);
  expect(breach('features/queue/QueuePage.tsx', './keys')).toBe(0);
  expect(breach('ui/Icon.tsx', '../graphql/client')).toBe(1);
  expect(breach('lib/money.ts', '../ui/Icon')).toBe(1);
  expect(breach('graphql/live.ts', '../app/router')).toBe(1);
});

it('keeps files short', () => {
  const long = sources().filter(
    ({ path, text }) => text.split('\n').length > (path.includes('.test.') ? 800 : 400),
  );
  expect(long.map(({ path }) => path)).toEqual([]);
});

it('never polls', () => {
  const asking = sources().filter(
    ({ path, text }) =>
      /\bsetInterval\(/.test(text) && path !== 'lib/now.ts' && !/heartbeat/i.test(text),
  );
  expect(asking.map(({ path }) => path)).toEqual([]);
});
