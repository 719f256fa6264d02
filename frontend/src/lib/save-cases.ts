// The export of selected cases, whose ids are too long for an address.
import type { ExportFormat } from './exports';
import type { Failure } from './refusals';
import { saveFile } from './save-file';
import { tracedFetch } from './trace';

/** The number of records of an export by its last record; null if it is not complete. */
export function recordsOf(format: ExportFormat, text: string): number | null {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  if (format === 'csv') {
    const [, number] = /^end,(\d+)(?:,|$)/.exec(last) ?? [];
    return number === undefined ? null : Number(number);
  }
  try {
    const record = JSON.parse(last) as { kind?: string; number?: number };
    return record.kind === 'end' ? (record.number ?? null) : null;
  } catch {
    return null;
  }
}

/** Asks for the cases of the ids as a file, and saves it. Returns the number of cases that it has. */
export async function saveCases(
  format: ExportFormat,
  ids: readonly string[],
): Promise<{ count: number } | { failure: Failure }> {
  try {
    const response = await tracedFetch()(`/export/cases.${format}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ids, bom: format === 'csv' }),
    });
    const bytes = await response.blob();
    const text = await bytes.text();
    if (!response.ok) {
      const { error } = JSON.parse(text) as { error?: Failure };
      return { failure: error ?? { code: 'Internal', message: '' } };
    }
    const count = recordsOf(format, text);
    if (count === null) return { failure: { code: 'Network', message: '' } };
    const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
    saveFile(bytes, name ?? `cases.${format}`);
    return { count };
  } catch {
    return { failure: { code: 'Network', message: '' } };
  }
}
