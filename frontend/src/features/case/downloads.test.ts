import { expect, test } from 'vitest';
import { downloadsOf } from './CaseDownloads';

const file = (revision: number) => ({
  revision,
  fileName: `invoice-${revision}.pdf`,
  path: `/cases/c/document?revision=${revision}`,
  archiveCopyPath: `/cases/c/copy/${revision}`,
});

test('a case offers its newest file, what was made from it, and earlier files', () => {
  const caseData = {
    documents: [file(2), file(1)],
    packPath: '/cases/c/pack',
    manifestPath: null,
  } as unknown as Parameters<typeof downloadsOf>[0];
  const kinds = (auditor: boolean) => downloadsOf(caseData, auditor).map(({ kind }) => kind);
  expect(kinds(true)).toEqual(['original', 'copy', 'result', 'pack', 'earlier']);
  expect(kinds(false)).toEqual(['original', 'copy', 'result', 'earlier']);
  expect(downloadsOf(caseData, false).at(-1)).toMatchObject({ revision: 1 });
});

test('an erased case without files offers nothing', () => {
  const none = { documents: [], packPath: null, manifestPath: null };
  expect(downloadsOf(none as never, true)).toEqual([]);
});
