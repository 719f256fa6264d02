// Checks that every class name in a component is defined in a stylesheet. Computed names are not
// checked.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root, type Source, sources } from './source';

const src = join(root, 'src');

/** The class names that a stylesheet defines. */
function definedIn(css: string): Set<string> {
  const rules = css.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(['"]).*?\1/g, '');
  return new Set([...rules.matchAll(/\.([a-zA-Z_][\w-]*)/g)].map(([, name]) => name ?? ''));
}

const read = (path: string) => definedIn(readFileSync(join(src, path), 'utf8'));

/** The classes of the stylesheets that are not modules. */
const globalClasses = new Set(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.css') && !name.endsWith('.module.css'))
    .flatMap((name) => [...read(name)]),
);

/** The stylesheet modules that a file imports, by the local name. */
function modulesOf(source: Source): Map<string, string> {
  const found = new Map<string, string>();
  for (const node of source.tree.statements) {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) continue;
    const name = node.importClause?.name?.text;
    if (name && node.moduleSpecifier.text.endsWith('.module.css'))
      found.set(name, join(dirname(source.path), node.moduleSpecifier.text));
  }
  return found;
}

/** The texts of a className, without the computed parts. */
function textsIn(node: ts.Node, found: string[]): void {
  if (ts.isElementAccessExpression(node) || ts.isBinaryExpression(node)) {
    if (ts.isBinaryExpression(node)) textsIn(node.right, found);
    return;
  }
  if (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node)
  )
    found.push(node.text);
  ts.forEachChild(node, (child) => textsIn(child, found));
}

/** The class names that the file uses and no stylesheet defines. */
function undefinedIn(source: Source, stylesheet: (path: string) => Set<string> = read): string[] {
  const modules = new Map([...modulesOf(source)].map(([name, path]) => [name, stylesheet(path)]));
  const missing: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const classes = modules.get(node.expression.text);
      if (classes && !classes.has(node.name.text))
        missing.push(`${source.path}: ${node.expression.text}.${node.name.text}`);
    }
    if (ts.isJsxAttribute(node) && node.name.getText() === 'className' && node.initializer) {
      const texts: string[] = [];
      textsIn(node.initializer, texts);
      for (const name of texts.flatMap((text) => text.split(/\s+/)))
        if (name !== '' && !globalClasses.has(name)) missing.push(`${source.path}: ${name}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return missing;
}

it('every class name is defined', () => {
  expect(globalClasses).toContain('cs-card');
  expect(
    sources()
      .filter(({ path }) => path.endsWith('.tsx'))
      .flatMap((source) => undefinedIn(source)),
  ).toEqual([]);
});

it('detects an undefined class name', () => {
  const text = `import styles from './a.module.css';
    const a = <p className={styles.known}><b className={on ? 'cs-card' : 'typo'} /></p>;
    const b = <p className={\`cs-card \${styles.lost}\`} />;`;
  const tree = ts.createSourceFile('a.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  expect(
    undefinedIn({ path: 'ui/a.tsx', text, tree }, () => definedIn('.known { width: 0.5em }')),
  ).toEqual(['ui/a.tsx: typo', 'ui/a.tsx: styles.lost']);
});
