import { expect, it } from 'vitest';
import { isReference } from './reference';

it('tells references from ids and words', () => {
  for (const text of ['CS-2026-000007', 'cs-2026-7', 'CS-2026-1234567'])
    expect(isReference(text), text).toBe(true);
  for (const text of [
    '',
    'CS-2026',
    'CS-26-000007',
    'Q2FzZToxMjM',
    'CS-2026-000007 x',
    'XCS-2026-1',
  ])
    expect(isReference(text), text).toBe(false);
});
