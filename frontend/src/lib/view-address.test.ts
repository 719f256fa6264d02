import { describe, expect, it } from 'vitest';
import { addressOf, inBarOrder, isChanged, parametersOf, type View } from './view-address';

const view = (name: string, parts: Partial<View> = {}) =>
  ({
    id: name,
    name,
    own: true,
    usable: true,
    default: false,
    parameters: [],
    ...parts,
  }) as unknown as View;

describe('saved views', () => {
  const late = {
    id: 'late',
    parameters: [
      { name: 'status', value: 'in_review' },
      { name: 'sort', value: 'deadline' },
    ],
  };

  it('are opened by their address', () => {
    expect(addressOf(late)).toEqual({ status: 'in_review', sort: 'deadline', view: 'late' });
    expect(isChanged(late, addressOf(late))).toBe(false);
  });

  it('are changed by another filter, not by the order of the address', () => {
    expect(isChanged(late, { sort: 'deadline', status: 'in_review' })).toBe(false);
    expect(isChanged(late, { status: 'in_review' })).toBe(true);
    expect(isChanged(late, { ...addressOf(late), text: 'acme' })).toBe(true);
  });

  it('save what the address has', () => {
    expect(parametersOf({ text: 'acme', view: 'x' })).toEqual([{ name: 'text', value: 'acme' }]);
  });

  it('come in the order of the bar, without those that are not usable', () => {
    const all = [
      view('a', { own: false }),
      view('b'),
      view('c', { own: false, default: true }),
      view('d', { usable: false }),
    ];
    expect(inBarOrder(all).map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  });
});
