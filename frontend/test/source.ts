// The source files of the pages, for tests that read them.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

export const root = join(import.meta.dirname, '..');

export interface Source {
  /** Relative to src, with slashes. */
  path: string;
  text: string;
  tree: ts.SourceFile;
}

/** Every TypeScript file under src that is not generated. */
export function sources(): Source[] {
  const src = join(root, 'src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('generated'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(src, name), 'utf8');
      const kind = name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
      return {
        path: relative(src, join(src, name)).replaceAll('\\', '/'),
        text,
        tree: ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, kind),
      };
    });
}

/** The module specifiers of a file's static and dynamic imports, without `import type` if asked for values. */
export function importsOf(source: Source, kind: 'all' | 'values' = 'all'): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      const typeOnly = ts.isImportDeclaration(node)
        ? node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
        : node.isTypeOnly;
      if (ts.isStringLiteral(node.moduleSpecifier) && !(typeOnly && kind === 'values'))
        found.push(node.moduleSpecifier.text);
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [target] = node.arguments;
      if (target && ts.isStringLiteral(target)) found.push(target.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return found;
}
