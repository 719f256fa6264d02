import { describe, expect, it } from 'vitest';
import { byKey, type Definition, inOrder, type Node, nameIn } from './processes';

const node = (id: string, kind: string, ...next: string[]) => ({ id, kind, next }) as unknown as Node;

describe('process definitions', () => {
  it('are grouped by process, newest version first', () => {
    const of = (key: string, version: number) => ({ key, version }) as Definition;
    expect(byKey([of('a', 2), of('a', 1), of('b', 1)]).map(([key, all]) => [key, all.length])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('are walked from the start, through loops, to what nothing leads to', () => {
    const nodes = [
      node('lonely', 'end'),
      node('start', 'start', 'read'),
      node('review', 'review', 'read', 'done'),
      node('read', 'stage', 'review'),
      node('done', 'end'),
    ];
    expect(inOrder(nodes).map(({ id }) => id)).toEqual(['start', 'read', 'review', 'done', 'lonely']);
  });

  it('are named in the language, or otherwise', () => {
    expect(nameIn([{ name: 'zh', value: '读取' }], 'zh', 'Read')).toBe('读取');
    expect(nameIn([{ name: 'zh', value: '' }], 'zh', 'Read')).toBe('Read');
  });
});
