import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where the server listens while pages are worked on: COUNTERSIGN_SERVER, else the demo's address. */
const server = process.env.COUNTERSIGN_SERVER ?? 'http://127.0.0.1:8080';
const doors = ['/auth', '/graphql', '/uploads', '/cases/[^/]+/(document|pages|manifest)'];

/**
 * The text of a document serves the generator and the compiler; the built page carries its parsed form alone. So each
 * graphql(`query Name …`) becomes the generated NameDocument.
 */
function parsedDocuments(): Plugin {
  return {
    name: 'parsed-documents',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('.graphql.ts')) return null;
      const names: string[] = [];
      const body = code
        .replace(/graphql\(\s*`\s*(query|mutation|subscription|fragment)\s+(\w+)[^`]*`,?\s*\)/g, (_all, kind, name) => {
          names.push(`${name}${kind === 'fragment' ? 'FragmentDoc' : 'Document'}`);
          return names.at(-1) ?? '';
        })
        .replace(
          /(import \{) graphql (\} from '[^']*generated)(\/index)?'/,
          (_all, open, from) => `${open} ${names.join(', ')} ${from}/graphql'`,
        );
      return { code: body, map: null };
    },
  };
}

export default defineConfig({
  plugins: [parsedDocuments(), react()],
  build: { outDir: '.built', emptyOutDir: true, target: 'es2022', sourcemap: false, assetsInlineLimit: 0 },
  server: {
    proxy: Object.fromEntries(
      doors.map((door) => [`^${door}`, { target: server, ws: door === '/graphql', changeOrigin: false }]),
    ),
  },
});
