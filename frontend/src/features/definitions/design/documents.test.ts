import { expect, it } from 'vitest';
import { starter } from '../starter';
import { acceptedTypes } from './documents';

it('names the document types of a process, also if it cannot be read or names none', () => {
  expect(acceptedTypes(starter)).toEqual(['my_document']);
  expect(acceptedTypes(starter.replace('[my_document]', '[invoice, letter]'))).toEqual([
    'invoice',
    'letter',
  ]);
  expect(acceptedTypes(starter.replace('document_types: [my_document]\n', ''))).toEqual([]);
  expect(acceptedTypes('key: [')).toEqual([]);
});
