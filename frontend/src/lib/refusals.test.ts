import { describe, expect, test } from 'vitest';
import { isUnreadable } from './refusals';

describe('isUnreadable', () => {
  const failed = (code: string, path: (string | number)[]) => ({
    graphQLErrors: [{ message: '', path, extensions: { code } }],
  });

  test('is true when the field itself is refused', () => {
    expect(isUnreadable(failed('ConflictOfInterest', ['review']), 'review')).toBe(true);
    expect(isUnreadable(failed('NotPermitted', ['review']), 'review')).toBe(true);
    expect(isUnreadable(failed('NotFound', ['review']), 'review')).toBe(true);
  });

  test('is false when only a part of the field is refused', () => {
    expect(isUnreadable(failed('NotPermitted', ['review', 'case', 'notes']), 'review')).toBe(false);
    expect(isUnreadable(failed('NotPermitted', ['viewer']), 'review')).toBe(false);
  });

  test('is false after a failure that says nothing about the right', () => {
    expect(isUnreadable(failed('Busy', ['review']), 'review')).toBe(false);
    expect(isUnreadable({ graphQLErrors: [] }, 'review')).toBe(false);
    expect(isUnreadable(undefined, 'review')).toBe(false);
  });
});
