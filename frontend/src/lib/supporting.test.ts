import { expect, test } from 'vitest';
import { documentLabel, failedDocument, missingDocument, roomFor } from './supporting';

const payslip = {
  kind: 'payslip',
  required: true,
  max: 2,
  labels: [{ name: 'en', value: 'Payslip' }],
};
const identity = { kind: 'identity', required: false, max: 1, labels: [] };

test('a required document is missing until it is chosen or the case has it', () => {
  expect(missingDocument([identity, payslip], [])).toBe(payslip);
  expect(missingDocument([payslip], [{ kind: 'payslip' }])).toBeUndefined();
  expect(missingDocument([payslip], [], [{ kind: 'payslip', current: true }])).toBeUndefined();
  expect(missingDocument([payslip], [], [{ kind: 'payslip', current: false }])).toBe(payslip);
});

test('a file that replaces another one needs no room', () => {
  expect(roomFor(payslip, [])).toBe(2);
  expect(roomFor(payslip, [{ kind: 'payslip', replaces: null }])).toBe(1);
  expect(
    roomFor(payslip, [{ kind: 'payslip', replaces: 1 }], [{ kind: 'payslip', current: true }]),
  ).toBe(1);
  expect(roomFor(identity, [], [{ kind: 'identity', current: true }])).toBe(0);
});

test('a kind without a label is named by its key', () => {
  expect(documentLabel(payslip, 'zh')).toBe('Payslip');
  expect(documentLabel(identity, 'en')).toBe('identity');
});

test('a failure names the current document that could not be read', () => {
  const may = { fileName: 'may.pdf', current: false };
  const june = { fileName: 'june.pdf', current: true };
  expect(failedDocument([may, june], 'june.pdf: The file is damaged.')).toBe(june);
  expect(failedDocument([may, june], 'may.pdf: The file is damaged.')).toBeUndefined();
  expect(failedDocument([may, june], 'The file is damaged.')).toBeUndefined();
});
