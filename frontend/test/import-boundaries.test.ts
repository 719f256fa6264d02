// Checks the permitted imports: app -> features -> graphql, ui, lib; never between features, never
// upward.
import { dirname, join } from 'node:path/posix';
import { expect, it } from 'vitest';
import { importsOf, type Source, sources } from './source';

const allowedImports: Record<string, string[]> = {
  app: ['features', 'graphql', 'ui', 'lib', 'i18n'],
  features: ['graphql', 'ui', 'lib', 'i18n'],
  graphql: ['lib'],
  ui: ['lib', 'i18n'],
  i18n: [],
  lib: [],
};

/** The layer of a path (app, ui …), and of a feature its name. */
function layerOf(path: string): { layer: string; feature: string | null } {
  const [layer = '', feature = ''] = path.split('/');
  return { layer, feature: layer === 'features' ? feature : null };
}

/**
 * The generated events and the types of the schema are plain types, so lib may import them. The
 * documents beside the types of the schema are checked separately.
 */
const shared = ['graphql/generated/events', 'graphql/generated/graphql'];

function violationsOf(source: Pick<Source, 'path'>, imports: string[]): string[] {
  const from = layerOf(source.path);
  return imports
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(source.path), name))
    .filter((target) => {
      const to = layerOf(target);
      if (shared.includes(target)) return false;
      if (to.layer === from.layer) return to.feature !== from.feature;
      return !allowedImports[from.layer]?.includes(to.layer);
    })
    .map((target) => `${source.path} imports ${target}`);
}

it('respects the import boundaries', () => {
  expect(
    sources().flatMap((source) =>
      /\.test\.tsx?$/.test(source.path) ? [] : violationsOf(source, importsOf(source)),
    ),
  ).toEqual([]);
});

it('keeps the generated documents out of lib and ui', () => {
  const users = sources().filter(
    (source) =>
      /^(lib|ui)\//.test(source.path) &&
      importsOf(source, 'values').some((name) => name.endsWith('graphql/generated/graphql')),
  );
  expect(users.map(({ path }) => path)).toEqual([]);
});

it('detects a violation', () => {
  const violations = (path: string, target: string) => violationsOf({ path }, [target]).length;
  expect(violations('features/queue/QueuePage.tsx', '../review/keys')).toBe(1);
  expect(violations('features/queue/QueuePage.tsx', './keys')).toBe(0);
  expect(violations('ui/Icon.tsx', '../graphql/client')).toBe(1);
  expect(violations('lib/money.ts', '../ui/Icon')).toBe(1);
  expect(violations('graphql/live.ts', '../app/router')).toBe(1);
});

it('keeps files short', () => {
  const long = sources().filter(
    ({ path, text }) => text.split('\n').length > (path.includes('.test.') ? 800 : 400),
  );
  expect(long.map(({ path }) => path)).toEqual([]);
});

it('never polls', () => {
  const polling = sources().filter(
    ({ path, text }) =>
      /\bsetInterval\(/.test(text) && path !== 'lib/now.ts' && !/heartbeat/i.test(text),
  );
  expect(polling.map(({ path }) => path)).toEqual([]);
});
