// Checks that the pages send what their user has read, so that the server can refuse a change of something that
// another person has changed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root, type Source, sources } from './source';

/** Commands that name nothing that was read, and why. */
const exceptions: Record<string, string> = {
  'features/case/AnswerPanel.tsx: expectedVersion':
    'the own file and documents, which are sent before the answer, change the version',
  'features/definitions/Proposals.tsx: expectedEffect': 'of a policy only',
  'features/incidents/repairs.ts: expectedVersion':
    'the list has the version of the incident; the status says that it is open',
  'features/queue/use-queue.ts: expectedVersion': 'a claim takes a free review',
  'features/review/UndoNotice.tsx: expectedVersion': 'a claim takes a free review',
  'features/review/use-review.ts: expectedVersion': 'a claim takes a free review',
};

/** The expected values of object literals that a file leaves empty. */
function emptyIn(source: Pick<Source, 'path' | 'tree'>): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (
      ts.isPropertyAssignment(node) &&
      /^expected[A-Z]?/.test(node.name.getText()) &&
      ['null', 'undefined', "''"].includes(node.initializer.getText())
    )
      found.add(`${source.path}: ${node.name.getText()}`);
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return [...found];
}

test('the compiler demands that a page names every expected value', () => {
  const types = readFileSync(join(root, 'src/graphql/generated/graphql.ts'), 'utf8');
  expect(types.match(/^ {2}expected\w*:/gm)?.length).toBeGreaterThan(40);
  expect(types).not.toMatch(/^ {2}expected\w*\?:/m);
});

test('a page leaves an expected value empty only for a reason', () => {
  const pages = sources().filter(({ path }) => !path.includes('.test.'));
  expect(pages.flatMap(emptyIn).sort()).toEqual(Object.keys(exceptions).sort());
});

test('detects an expected value that is left empty', () => {
  const text = "run({ expectedVersion: null, expectedDays: days, expected: '', expectedRate })";
  const tree = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  expect(emptyIn({ path: 'a.ts', tree })).toEqual(['a.ts: expectedVersion', 'a.ts: expected']);
});
