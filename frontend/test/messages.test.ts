// Checks the texts of the page: both languages have the same keys, the English uses the product's terms, and no visible
// text is hard-coded in a component.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { messages as en } from '../src/i18n/en';
import { messages as zh } from '../src/i18n/zh';
import { root, type Source, sources } from './source';

type Tree = { [key: string]: string | Tree };

/** All texts by "file.json:key". */
function textsOf(language: Tree): Map<string, string> {
  const found = new Map<string, string>();
  const add = (file: string, tree: Tree, above: string) => {
    for (const [key, value] of Object.entries(tree)) {
      const path = above === '' ? key : `${above}.${key}`;
      if (typeof value === 'string') found.set(`${file}.json:${path}`, value);
      else add(file, value, path);
    }
  };
  for (const [file, tree] of Object.entries(language)) add(file, tree as Tree, '');
  return found;
}

/** The key without the suffix of a plural form: languages have different forms of one key. */
const withoutPlural = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '');

const placeholders = (text: string) =>
  [...text.matchAll(/\{\{\s*(\w+)/g)].map(([, name]) => name).sort();

/** A word that texts must not contain, and what to write instead. */
interface BannedWord {
  word: string;
  scopes: ('comment' | 'identifier' | 'text')[];
  use: string;
  reason: string;
}

const listPath = join(root, '../internal/layout/words.json');
const listed: BannedWord[] = existsSync(listPath)
  ? JSON.parse(readFileSync(listPath, 'utf8')).words
  : [];
const banned = listed.filter(({ scopes }) => scopes.includes('text'));

/** Matches the word or phrase as whole words, in any case, with either apostrophe. */
const patternOf = ({ word }: BannedWord) =>
  new RegExp(
    `(?<![\\w’'])${word.replaceAll(/\s+/g, '\\s+').replaceAll("'", "['’]")}(?![\\w])`,
    'i',
  );

/** Longer texts are sentences, not labels. */
const longestLabel = 64;

const withoutPlaceholders = (text: string) => text.replaceAll(/\{\{\w+\}\}/g, '');

/** A text is a sentence if another one follows inside it, or if it is longer than a label. */
function isSentence(text: string): boolean {
  return /[.?!]\s+\S/.test(text) || withoutPlaceholders(text).length > longestLabel;
}

/** What is wrong with one English text. */
function faultsOf(key: string, text: string, words: readonly BannedWord[] = banned): string[] {
  const faults = words
    .filter((word) => patternOf(word).test(withoutPlaceholders(text)))
    .map(({ word, use }) => `${key}: "${word}" is not used in texts; write: ${use}`);
  if (isSentence(text)) {
    if (!/^["“]?(\p{Lu}|\d|\{\{)/u.test(text))
      faults.push(`${key}: a sentence starts with a capital letter`);
    if (!/([.?!…:]["”)]?|\}\}[”)]?)$/.test(text))
      faults.push(`${key}: a sentence ends with a full stop`);
  }
  return faults;
}

/** Keys that only one of the languages has. */
function keyFaultsOf(english: Map<string, string>, chinese: Map<string, string>): string[] {
  const [inEnglish, inChinese] = [english, chinese].map(
    (texts) => new Set([...texts.keys()].map(withoutPlural)),
  );
  return [
    ...[...(inEnglish ?? [])]
      .filter((key) => !inChinese?.has(key))
      .map((key) => `zh/${key} is missing`),
    ...[...(inChinese ?? [])]
      .filter((key) => !inEnglish?.has(key))
      .map((key) => `zh/${key} is not in en`),
  ];
}

describe('the languages', () => {
  const [english, chinese] = [textsOf(en as unknown as Tree), textsOf(zh as unknown as Tree)];

  it('have the same keys', () => {
    expect(keyFaultsOf(english, chinese)).toEqual([]);
  });

  it('have the same placeholders', () => {
    const byKey = new Map([...english].map(([key, text]) => [withoutPlural(key), text]));
    const differing = [...chinese].filter(([key, text]) => {
      const expected = new Set(placeholders(byKey.get(withoutPlural(key)) ?? ''));
      return placeholders(text).some((name) => !expected.has(name) && name !== 'count');
    });
    expect(differing.map(([key]) => key)).toEqual([]);
  });

  it('have no empty text', () => {
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

  it('are written as one file per feature, valid and indented alike', () => {
    for (const language of ['en', 'zh']) {
      for (const name of readdirSync(join(root, 'src/i18n', language))) {
        const text = readFileSync(join(root, 'src/i18n', language, name), 'utf8');
        expect(text, name).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
      }
    }
  });

  it('use the terms of the product and whole sentences', () => {
    expect([...english].flatMap(([key, text]) => faultsOf(`en/${key}`, text))).toEqual([]);
  });
});

describe('the guard of the texts', () => {
  const words: BannedWord[] = [
    { word: 'anew', scopes: ['text'], use: 'again', reason: '' },
    { word: "nobody's", scopes: ['text'], use: 'unassigned', reason: '' },
    { word: 'give up', scopes: ['text'], use: 'abandon', reason: '' },
  ];
  const full = 'Documents that are checked from now on are checked with this version';

  it.each([
    ['Load it anew', 'anew'],
    ['Anew', 'anew'],
    ['nobody’s', "nobody's"],
    ['Give up this case', 'give up'],
    ['The session has ended. Sign in again', 'full stop'],
    ['the session has ended. Sign in again.', 'capital letter'],
    [full, 'full stop'],
    [`${full.toLowerCase()}.`, 'capital letter'],
    [`${full},`, 'full stop'],
  ])('rejects %s', (text, fault) => {
    const faults = faultsOf('en/a.json:b', text, words);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^en\/a\.json:b: /);
    expect(faults[0]).toContain(fault);
  });

  it.each([
    ['Load it again'],
    ['Renewed'],
    ['someone else'],
    ['Delegation of {{anew}}'],
    [`${full}.`],
    [`${full}: {{reason}}`],
    ['{{name}} has claimed this review. You can view it.'],
    ['2 of 3 completed'],
    ['Loading the current values…'],
  ])('accepts %s', (text) => {
    expect(faultsOf('en/a.json:b', text, words)).toEqual([]);
  });

  it('names missing and extra keys of the other language', () => {
    const english = textsOf({ a: { b: 'One', c_one: 'Item', c_other: 'Items', d: { e: 'Two' } } });
    const chinese = textsOf({ a: { b: '一', c_other: '项', f: '三' } });
    expect(keyFaultsOf(english, chinese)).toEqual([
      'zh/a.json:d.e is missing',
      'zh/a.json:f is not in en',
    ]);
  });

  it('has a list in which every word has a scope and a replacement', () => {
    expect(
      listed.filter(
        ({ word, scopes, use, reason }) => !word || scopes.length === 0 || !use || !reason,
      ),
    ).toEqual([]);
    expect(new Set(listed.map(({ word }) => word)).size).toBe(listed.length);
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

/** Hard-coded texts that a user would see: text between tags, and attributes that are shown or read aloud. */
function literalsOf(source: Source): string[] {
  const found: string[] = [];
  const add = (node: ts.Node, text: string) => {
    const { line } = source.tree.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${source.path}:${line + 1} ${text.trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && letters.test(node.text) && !ts.isJsxClosingElement(node.parent)) {
      const element = node.parent;
      const tag = ts.isJsxElement(element) ? element.openingElement.tagName.getText() : '';
      // Keys and commands are the same in every language.
      if (!/^(kbd|code)$/i.test(tag)) add(node, node.text);
    }
    if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer)) {
      if (visibleAttributes.has(node.name.getText()) && letters.test(node.initializer.text))
        add(node, node.initializer.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return found;
}

it('no component has a hard-coded text', () => {
  expect(
    sources()
      .filter(({ path }) => path.endsWith('.tsx') && !path.includes('.test.'))
      .flatMap(literalsOf),
  ).toEqual([]);
});

it('every key begins with its file, because the generator finds by it which texts a page loads', () => {
  const composed = sources().filter(({ text }) => /\bt\(\s*`\$\{/.test(text));
  expect(composed.map(({ path }) => path)).toEqual([]);
});
