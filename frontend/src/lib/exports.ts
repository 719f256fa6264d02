// The addresses of exports, which the server sends as files.

export type ExportFormat = 'csv' | 'jsonl';

export const exportFormats: readonly ExportFormat[] = ['csv', 'jsonl'];

/** The address of an export with the filters that have a value. CSV is for spreadsheets. */
export function exportAddress(
  kind: 'cases' | 'audit',
  format: ExportFormat,
  filters: Record<string, string | undefined>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value);
  if (format === 'csv') query.set('bom', 'true');
  const text = query.toString();
  return `/export/${kind}.${format}${text && `?${text}`}`;
}

const documentPath = /^\/cases\/([^/]+)\/document/;

/** The id of a case in addresses of files, from the path of its document. */
export function fileCaseId(path: string | undefined): string | undefined {
  return documentPath.exec(path ?? '')?.[1];
}

/** The address of the result of a case; undefined without a document. */
export function resultAddress(path: string | undefined): string | undefined {
  const id = fileCaseId(path);
  return id && `/cases/${id}/result.json`;
}
