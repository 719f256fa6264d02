import { expect, it } from 'vitest';
import { rowName } from './Counterparty';

it('calls a row by its counterparty, and by its file if there is none', () => {
  expect(rowName('ha te ul', 'scan-7.png')).toBe('ha te ul');
  expect(rowName('', 'scan-7.png')).toBe('scan-7.png');
  expect(rowName('', undefined)).toBe('');
});
