// Checks that neither the pages nor the command line use a deprecated name of the API.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  concatAST,
  type DocumentNode,
  isInputObjectType,
  NoDeprecatedCustomRule,
  parse,
  validate,
} from 'graphql';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root, type Source, sources } from './source';

const filesOf = (folder: string, suffix: string): string[] =>
  readdirSync(join(root, '..', folder))
    .filter((name) => name.endsWith(suffix))
    .map((name) => readFileSync(join(root, '..', folder, name), 'utf8'));

const schema = buildSchema(filesOf('graph/schema', '.graphqls').join('\n'));

/** The documents of one file: the arguments of graphql(`…`). */
function documentsOf(source: Source): DocumentNode[] {
  const found: DocumentNode[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'graphql') {
      const [text] = node.arguments;
      if (text && ts.isNoSubstitutionTemplateLiteral(text)) found.push(parse(text.text));
    }
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return found;
}

const usesIn = (document: DocumentNode): string[] =>
  validate(schema, document, [NoDeprecatedCustomRule]).map(({ message }) => message);

/** The deprecated fields of inputs, which the pages send as variables. */
const deprecatedInputs = new Set(
  Object.values(schema.getTypeMap())
    .filter(isInputObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ deprecationReason }) => deprecationReason != null)
    .map(({ name }) => name),
);

/** The properties of object literals that have the name of a deprecated input. */
function inputsIn(source: Pick<Source, 'path' | 'tree'>): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) &&
      deprecatedInputs.has(node.name.getText())
    )
      found.push(`${source.path}: ${node.name.getText()}`);
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return found;
}

describe('no deprecated name is used', () => {
  it('by the documents of the pages', () => {
    const documents = sources()
      .filter(({ path }) => path.endsWith('.graphql.ts'))
      .flatMap(documentsOf);
    expect(documents.length).toBeGreaterThan(100);
    expect(usesIn(concatAST(documents))).toEqual([]);
  });

  it('by the inputs that the pages send', () => {
    expect(deprecatedInputs).toContain('takerId');
    expect(sources().flatMap(inputsIn)).toEqual([]);
  });

  it('by the operations of the command line', () => {
    const documents = filesOf('cmd/countersign/operations', '.graphql').map((text) => parse(text));
    expect(documents.length).toBeGreaterThan(0);
    expect(usesIn(concatAST(documents))).toEqual([]);
  });
});

it('detects a deprecated name', () => {
  expect(usesIn(parse('{ viewer { delegations { giver { name } } } }'))).toEqual([
    'The field Delegation.giver is deprecated. Use delegator.',
  ]);
  const text = 'run({ takerId, reason: null, handTo: queue })';
  const tree = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  expect(inputsIn({ path: 'a.ts', tree })).toEqual(['a.ts: takerId', 'a.ts: handTo']);
});
