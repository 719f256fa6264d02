import { describe, expect, it } from 'vitest';
import { movedBack } from './migrations';

const migration = (id: string, undoes: string | null, moved: number) => ({ id, undoes, moved });

describe('the cases that an undo moved back', () => {
  const first = migration('a', null, 3);

  it('are those of the undo of the same migration', () => {
    expect(movedBack([migration('c', 'b', 9), migration('b', 'a', 2), first], first)).toBe(2);
  });

  it('are none while the undo has moved none, and unknown without an undo', () => {
    expect(movedBack([migration('b', 'a', 0), first], first)).toBe(0);
    expect(movedBack([first], first)).toBeNull();
  });

  it('are unknown for the undo itself', () => {
    const undo = migration('b', 'a', 2);
    expect(movedBack([undo, first], undo)).toBeNull();
  });
});
