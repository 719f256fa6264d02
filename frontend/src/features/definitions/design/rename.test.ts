import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Design, graphOf, readDesign, reEntryOf } from './design';
import { badId, renameNode } from './rename';

const workflow = join(import.meta.dirname, '../../../../../workflow');
const texts = ['definitions', 'testdata/definitions'].flatMap((folder) =>
  readdirSync(join(workflow, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(workflow, folder, name), 'utf8')),
);

function designOf(text: string): Design {
  const read = readDesign(text);
  if (!('design' in read)) throw new Error(JSON.stringify(read.problem));
  return read.design;
}

/** The text without the line that a rename adds so that returned cases continue at the same node. */
const withoutAdded = (text: string, before: string) =>
  /^re_enter:/m.test(before) ? text : text.replace(/^re_enter: .*\n/m, '');

describe('renaming a node', () => {
  it('changes only lines that name it, and the drawing stays the same', () => {
    let renamed = 0;
    for (const text of texts)
      for (const node of designOf(text).nodes) {
        const after = renameNode(text, designOf(text), node, 'quite_new');
        const design = designOf(after);
        const node_ = design.nodes[node.index];
        expect(node_?.id).toBe('quite_new');
        const [was, is] = [text.split('\n'), withoutAdded(after, text).split('\n')];
        expect(is).toHaveLength(was.length);
        for (const [at, line] of was.entries())
          if (is[at] !== line) {
            expect(line).toMatch(new RegExp(`\\b${node.id}\\b`));
            expect(is[at]).toContain('quite_new');
          }
        const { nodes, lines } = graphOf(design);
        const back = (id: string) => (id === 'quite_new' ? node.id : id);
        const original = graphOf(designOf(text));
        expect(nodes.map(({ id }) => back(id))).toEqual(original.nodes.map(({ id }) => id));
        expect(lines.map(({ from, to }) => [back(from), back(to)])).toEqual(
          original.lines.map(({ from, to }) => [from, to]),
        );
        expect(back(reEntryOf(design))).toBe(reEntryOf(designOf(text)));
        expect(node_ && withoutAdded(renameNode(after, design, node_, node.id), text)).toBe(text);
        renamed++;
      }
    expect(renamed).toBeGreaterThan(60);
  }, 120_000);

  it('changes cancellations, errors, time limits and entry points', () => {
    const text = `on_replace: a
on_enter: a
nodes:
  - id: a # kept
    kind: review
    on:
      approve: {to: b, cancel: [a, b]}
      return: a
    timeout: {after: 24h, to: a}
    errors:
      - {codes: [X], to: "a"}
  - {id: b, kind: fork, to: [a, b, a]}
`;
    const design = designOf(text);
    const [a] = design.nodes;
    expect(a && renameNode(text, design, a, 'renamed')).toBe(
      text
        .replace(/on_replace: a/, 'on_replace: renamed')
        .replace(/on_enter: a/, 'on_enter: renamed')
        .replace('id: a #', 'id: renamed #')
        .replace('[a, b]', '[renamed, b]')
        .replace('return: a', 'return: renamed')
        .replace('24h, to: a', '24h, to: renamed')
        .replace('"a"', 'renamed')
        .replace('[a, b, a]', '[renamed, b, renamed]'),
    );
  });

  it('keeps where returned cases continue if a node gets or loses the id validate', () => {
    const text =
      'key: x\nnodes:\n  - {id: start, kind: start, next: a}\n  - {id: a, kind: stage}\n';
    const [, a] = designOf(text).nodes;
    const validate = a ? renameNode(text, designOf(text), a, 'validate') : '';
    expect(reEntryOf(designOf(validate))).toBe('validate');
    const [start] = designOf(text).nodes;
    const other = start ? renameNode(text, designOf(text), start, 'validate') : '';
    expect(reEntryOf(designOf(other))).toBe('a');
    expect(other).toContain('re_enter: a\n');
  });

  it.each([
    ['b', 'taken'],
    ['B', 'malformed'],
    ['1st', 'malformed'],
    ['', 'malformed'],
    ['a b', 'malformed'],
    ['x'.repeat(64), 'malformed'],
    ['a', null],
    ['c', null],
  ])('is refused with a reason: %s', (id, reason) => {
    const text = 'nodes:\n  - {id: a, kind: stage}\n  - {id: b, kind: end}\n';
    const design = designOf(text);
    const [a] = design.nodes;
    expect(a && badId(design, a, id)).toBe(reason);
    if (reason) expect(a && renameNode(text, design, a, id)).toBe(text);
  });
});
