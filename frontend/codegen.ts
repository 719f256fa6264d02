import { createHash } from 'node:crypto';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';

/** The fields of inputs that name what the sender has read. The compiler demands that a page names them. */
const stated = (content: string): string => content.replaceAll(/^( {2}expected\w*)\?:/gm, '$1:');

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');

// Typed documents of the pages, from the server's own schema. The persisted documents are what a page may send. The
// indexes of the messages, and which page loads which of them, are written in the same run.
const config: CodegenConfig = {
  schema: '../graph/schema/*.graphqls',
  documents: ['src/**/*.graphql.ts'],
  ignoreNoDocuments: true,
  hooks: {
    beforeOneFileWrite: (path: string, content: string) =>
      path.endsWith('generated/graphql.ts') ? stated(content) : content,
  },
  generates: {
    'src/graphql/generated/': {
      preset: 'client',
      presetConfig: {
        fragmentMasking: false,
        persistedDocuments: {
          mode: 'embedHashInDocument',
          hashPropertyName: 'hash',
          hashAlgorithm: hashed,
        },
      },
      documentTransforms: [addTypenameSelectionDocumentTransform],
      config: {
        onlyOperationTypes: true,
        enumsAsTypes: true,
        useTypeImports: true,
        strictScalars: true,
        scalars: {
          ID: 'string',
          DateTime: 'string',
          Cursor: 'string',
          JSON: 'unknown',
          Upload: 'File',
          BigInt: 'string',
        },
      },
    },
    'src/graphql/generated/schema.json': { plugins: ['./scripts/cache-schema.cjs'] },
    'src/graphql/generated/bounds.ts': { plugins: ['./scripts/bounds.cjs'] },
    ...Object.fromEntries(
      ['en', 'zh'].map((language) => [
        `src/i18n/${language}.ts`,
        { plugins: ['./scripts/messages.cjs'], config: { language } },
      ]),
    ),
    ...Object.fromEntries(
      ['en', 'zh'].map((language) => [
        `src/i18n/start/${language}.ts`,
        { plugins: ['./scripts/texts.cjs'], config: { language } },
      ]),
    ),
    'src/i18n/page-texts.ts': { plugins: ['./scripts/texts.cjs'] },
  },
};

export default config;
