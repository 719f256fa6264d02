import { expect, it } from 'vitest';
import { refusalsByAttribute, refusedAttribute } from './refused-attributes';

const refusal = (field: string | null) => ({ code: 'InvalidInput', message: 'No.', field });

it('a refusal is at its field until the value is changed', () => {
  const refusals = [refusal('attributes.note'), refusal('attributes.budget'), refusal('file')];
  const sent = { note: ' 12 ', budget: '5' };
  expect(refusalsByAttribute(refusals, sent, { note: '12', budget: '6' })).toEqual({
    note: refusals[0],
  });
  expect(refusalsByAttribute(refusals, {}, {})).toEqual({
    note: refusals[0],
    budget: refusals[1],
  });
});

it('only a refusal of an attribute is about one', () => {
  expect(
    ['attributes.note', 'attributes', 'file', null].map((one) => refusedAttribute(refusal(one))),
  ).toEqual(['note', null, null, null]);
});
