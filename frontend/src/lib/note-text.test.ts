import { describe, expect, it } from 'vitest';
import { mentionAt, noteParts, withMention } from './note-text';

describe('noteParts', () => {
  it('splits at references and keeps markup as text', () => {
    expect(noteParts('see CS-2026-000007, <b>CS-2026-0000071</b> [x](javascript:y)')).toEqual([
      { text: 'see ', reference: null },
      { text: 'CS-2026-000007', reference: 'CS-2026-000007' },
      { text: ', <b>', reference: null },
      { text: 'CS-2026-0000071', reference: 'CS-2026-0000071' },
      { text: '</b> [x](javascript:y)', reference: null },
    ]);
    expect(noteParts('XCS-2026-000007 CS-26-7')).toEqual([
      { text: 'XCS-2026-000007 CS-26-7', reference: null },
    ]);
  });
});

describe('mentionAt', () => {
  it('finds the name that is being typed', () => {
    expect(mentionAt('hi @ri', 6)).toBe('ri');
    expect(mentionAt('@', 1)).toBe('');
    expect(mentionAt('hi @Rita Re', 11)).toBe('Rita Re');
    expect(mentionAt('a@b', 3)).toBeNull();
    expect(mentionAt('hi @ri ok then', 14)).toBeNull();
    expect(withMention('hi @ri!', 6, 'Rita Reviewer')).toEqual(['hi @Rita Reviewer !', 18]);
  });
});
