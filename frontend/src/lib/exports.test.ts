import { describe, expect, it } from 'vitest';
import { exportAddress } from './exports';
import { fileCaseId, resultAddress } from './file-addresses';

describe('the addresses of exports', () => {
  it('carry the filters that have a value', () => {
    expect(exportAddress('cases', 'jsonl', {})).toBe('/export/cases.jsonl');
    expect(exportAddress('cases', 'jsonl', { text: 'a & b', status: undefined })).toBe(
      '/export/cases.jsonl?text=a+%26+b',
    );
    expect(exportAddress('audit', 'csv', { case: 'x' })).toBe('/export/audit.csv?case=x&bom=true');
  });

  it('follow from the path of the document', () => {
    expect(fileCaseId('/cases/0190-a/document?revision=2')).toBe('0190-a');
    expect(resultAddress('/cases/0190-a/document?revision=2')).toBe('/cases/0190-a/result.json');
    expect(resultAddress(undefined)).toBeUndefined();
  });
});
