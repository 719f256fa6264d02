import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { builtSchema } from './built-schema.ts';

/** Where the server listens while pages are worked on: COUNTERSIGN_SERVER, else the demo's address. */
const server = process.env.COUNTERSIGN_SERVER ?? 'http://127.0.0.1:8080';
const doors = [
  '/auth',
  '/graphql',
  '/uploads',
  '/spans',
  '/export/',
  '/unsubscribe/',
  '/compared/',
  '/cases/[^/]+/(document|pages|manifest|result|notes)',
];

/** The generated documents by name: the parsed form as JSON, with its hash. */
function generatedDocuments(): Map<string, string> {
  const text = readFileSync(new URL('src/graphql/generated/graphql.ts', import.meta.url), 'utf8');
  const found = text.matchAll(/^export const (\w+) = (\{.*\}) as unknown as DocumentNode/gm);
  return new Map([...found].map(([, name = '', value = '']) => [name, value]));
}

/**
 * The text of a document serves the generator and the compiler; the built page carries its parsed form alone, in the
 * piece that asks it. So each graphql(`query Name …`) becomes the value of the generated NameDocument.
 */
function parsedDocuments(): Plugin {
  let documents = new Map<string, string>();
  return {
    name: 'parsed-documents',
    apply: 'build',
    enforce: 'pre',
    buildStart() {
      documents = generatedDocuments();
    },
    transform(code, id) {
      if (!id.endsWith('.graphql.ts')) return null;
      const body = code
        .replace(
          /graphql\(\s*`\s*(query|mutation|subscription|fragment)\s+(\w+)[^`]*`,?\s*\)/g,
          (_all, kind, name) => {
            // A fragment is part of every document that uses it.
            if (kind === 'fragment') return 'null';
            const value = documents.get(`${name}Document`);
            if (value === undefined) throw new Error(`${name} is not generated: npm run generate`);
            return value;
          },
        )
        .replace(/import \{ graphql \} from '[^']*generated(\/index)?';/, '');
      return { code: body, map: null };
    },
  };
}

/** The schema of the cache in the built page: 8 kB less of the first visit. */
function reducedSchema(): Plugin {
  return {
    name: 'reduced-schema',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('generated/schema.json')) return null;
      return { code: JSON.stringify(builtSchema(JSON.parse(code))), map: null };
    },
  };
}

export default defineConfig({
  plugins: [parsedDocuments(), reducedSchema(), react()],
  build: {
    outDir: '.built',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    assetsInlineLimit: 0,
  },
  server: {
    // The templates of processes are files of the tree beside the pages.
    fs: { allow: ['.', '../workflow'] },
    proxy: Object.fromEntries(
      doors.map((door) => [
        `^${door}`,
        { target: server, ws: door === '/graphql', changeOrigin: false },
      ]),
    ),
  },
});
