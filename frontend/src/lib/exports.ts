// The addresses of exports, which the server sends as files.

export type ExportKind =
  | 'cases'
  | 'reviews'
  | 'audit'
  | 'audit-search'
  | 'deliveries'
  | 'statistics'
  | 'statistics-parts'
  | 'replay';

export type ExportFormat = 'csv' | 'jsonl';

export const exportFormats: readonly ExportFormat[] = ['csv', 'jsonl'];

/** The address of an export with the filters that have a value. CSV is for spreadsheets. */
export function exportAddress(
  kind: ExportKind,
  format: ExportFormat,
  filters: Record<string, string | undefined>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value);
  if (format === 'csv') query.set('bom', 'true');
  const text = query.toString();
  return `/export/${kind}.${format}${text && `?${text}`}`;
}
