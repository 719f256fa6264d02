// Checks that both languages have the same messages, and that no visible text bypasses them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { messages as en } from '../src/i18n/en';
import { messages as zh } from '../src/i18n/zh';
import { root, type Source, sources } from './source';

type Tree = { [key: string]: string | Tree };

/** All keys as paths; the plural forms of a message count as one key. */
function keysOf(tree: Tree, above = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    const path = above === '' ? key : `${above}.${key}`;
    if (typeof value === 'string')
      found.set(path.replace(/_(zero|one|two|few|many|other)$/, ''), value);
    else for (const [inner, text] of keysOf(value, path)) found.set(inner, text);
  }
  return found;
}

const placeholders = (text: string) =>
  [...text.matchAll(/\{\{\s*(\w+)/g)].map(([, name]) => name).sort();

describe('the languages', () => {
  const [english, chinese] = [keysOf(en as Tree), keysOf(zh as Tree)];

  it('have the same keys', () => {
    expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('have the same placeholders', () => {
    const differing = [...english].filter(([key, text]) => {
      const expected = new Set(placeholders(text));
      return placeholders(chinese.get(key) ?? '').some(
        (name) => !expected.has(name) && name !== 'count',
      );
    });
    expect(differing.map(([key]) => key)).toEqual([]);
  });

  it('have no empty message', () => {
    expect([...english, ...chinese].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('load every file', () => {
    for (const [language, words] of Object.entries({ en, zh })) {
      const files = readdirSync(join(root, 'src/i18n', language)).map((name) =>
        name.replace('.json', ''),
      );
      expect(files.sort()).toEqual(Object.keys(words).sort());
    }
  });

  it('have one formatted file per feature', () => {
    for (const language of ['en', 'zh']) {
      for (const name of readdirSync(join(root, 'src/i18n', language))) {
        const text = readFileSync(join(root, 'src/i18n', language, name), 'utf8');
        expect(text, name).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
      }
    }
  });
});

const visibleAttributes = new Set([
  'aria-label',
  'title',
  'placeholder',
  'label',
  'alt',
  'description',
  'confirmLabel',
]);
const letters = /\p{L}{2,}/u;

/** Literals that users would see: text between tags, and visible or announced attributes. */
function literalsOf(source: Source): string[] {
  const found: string[] = [];
  const note = (node: ts.Node, text: string) => {
    const { line } = source.tree.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${source.path}:${line + 1} ${text.trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && letters.test(node.text) && !ts.isJsxClosingElement(node.parent)) {
      const element = node.parent;
      const tag = ts.isJsxElement(element) ? element.openingElement.tagName.getText() : '';
      // Keys and commands are the same in every language.
      if (!/^(kbd|code)$/i.test(tag)) note(node, node.text);
    }
    if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer)) {
      if (visibleAttributes.has(node.name.getText()) && letters.test(node.initializer.text))
        note(node, node.initializer.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return found;
}

it('has no visible text outside the messages', () => {
  expect(
    sources()
      .filter(({ path }) => path.endsWith('.tsx') && !path.includes('.test.'))
      .flatMap(literalsOf),
  ).toEqual([]);
});
