import { describe, expect, it } from 'vitest';
import { draftOf, emptyDraft, isEmptyDraft, sameDraft } from './draft';

const draft = { typed: { vendor: { value: 'a', base: 'b' } }, reason: 'why', lines: '[]' };

describe('a draft', () => {
  it('is restored as it was stored', () => {
    expect(draftOf(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
  });

  it.each([
    null,
    undefined,
    7,
    'text',
    {},
    { typed: 3, reason: 4 },
    { typed: { a: null, b: { value: 1 } } },
  ])('is empty for %j', (stored) => {
    expect(draftOf(stored)).toEqual(emptyDraft);
    expect(isEmptyDraft(draftOf(stored))).toBe(true);
  });

  it('is compared by value', () => {
    expect(sameDraft(draft, structuredClone(draft))).toBe(true);
    expect(sameDraft(draft, { ...draft, reason: '' })).toBe(false);
    expect(sameDraft(draft, { ...draft, lines: '' })).toBe(false);
    expect(sameDraft(draft, { ...draft, typed: {} })).toBe(false);
    expect(sameDraft(draft, { ...draft, typed: { vendor: { value: 'c', base: 'b' } } })).toBe(
      false,
    );
  });
});
