import { expect, it } from 'vitest';
import { rowName } from './Counterparty';

it('calls a row by its counterparty only if that is certain', () => {
  const row = { name: 'ha te ul', uncertain: true, fileName: 'scan-7.png' };
  expect(rowName(row)).toBe('scan-7.png');
  expect(rowName({ ...row, uncertain: false })).toBe('ha te ul');
  expect(rowName({ ...row, name: '', uncertain: false })).toBe('scan-7.png');
  // Without a file the uncertain name is better than none; its label is below it.
  expect(rowName({ ...row, fileName: undefined })).toBe('ha te ul');
});
