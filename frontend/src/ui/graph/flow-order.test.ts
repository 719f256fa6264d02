import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Elk from 'elkjs/lib/elk.bundled.js';
import { describe, expect, it } from 'vitest';
import { moveNode } from '../../features/definitions/design/change';
import { type Design, graphOf, readDesign } from '../../features/definitions/design/design';
import { immovableReason, placesFor } from '../../features/definitions/design/placement';
import type { Diagram, DiagramNode, EdgeKind } from './drawing';
import { graphFor, layoutFrom } from './elk-graph';
import { closesCycle, flowOrder } from './flow-order';
import { drawingOf } from './process';

const workflow = join(import.meta.dirname, '../../../../workflow');
const texts = ['definitions', 'templates', 'testdata/definitions'].flatMap((folder) =>
  readdirSync(join(workflow, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({
      name,
      // A template has a front matter of its own.
      text: readFileSync(join(workflow, folder, name), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, ''),
    })),
);

function designOf(text: string): Design {
  const read = readDesign(text);
  if (!('design' in read)) throw new Error(JSON.stringify(read.problem));
  return read.design;
}

const diagramOf = (design: Design): Diagram =>
  drawingOf(graphOf(design), { t: ((key: string) => key) as never, language: 'en' });

const elk = new Elk();

/** The lines outside of cycles that point up. */
async function pointingUp(diagram: Diagram): Promise<string[]> {
  const layout = layoutFrom(await elk.layout(graphFor(diagram)));
  return diagram.lines
    .filter((line) => !closesCycle(diagram.lines, line))
    .filter(({ id, from, to }) => {
      const points = layout.lines.get(id)?.points ?? [];
      const [above, below] = [layout.nodes.get(from), layout.nodes.get(to)];
      const falls = points.every((point, index) => point.y >= (points[index - 1]?.y ?? point.y));
      return !falls || !above || !below || above.y + above.height > below.y;
    })
    .map(({ id }) => id);
}

describe('the layout', () => {
  it.each(texts)('draws no line of $name up that closes no cycle', async ({ text }) => {
    expect(await pointingUp(diagramOf(designOf(text)))).toEqual([]);
  });

  it('draws none up after any step was moved to any place, and the text keeps its order', async () => {
    let moves = 0;
    for (const { text } of texts.filter(({ name }) =>
      /merchant|document_app|four_eyes/.test(name),
    )) {
      const design = designOf(text);
      for (const node of design.nodes) {
        if (immovableReason(design, node) !== null) continue;
        for (const place of placesFor(design, node)) {
          const moved = designOf(moveNode(text, design, node, place.from, place.connection));
          expect(moved.nodes.map(({ id }) => id)).toEqual(design.nodes.map(({ id }) => id));
          const order = flowOrder(diagramOf(moved));
          const diagram = diagramOf(moved);
          for (const line of diagram.lines)
            if (!closesCycle(diagram.lines, line))
              expect(order.indexOf(line.from)).toBeLessThan(order.indexOf(line.to));
          if (moves++ % 40 === 0) expect(await pointingUp(diagram)).toEqual([]);
        }
      }
    }
    expect(moves).toBeGreaterThan(100);
  }, 120_000);

  it('keeps the order of a text that follows the flow', () => {
    for (const { text } of texts) {
      const { nodes, lines } = diagramOf(designOf(text));
      const at = new Map(nodes.map(({ id }, index) => [id, index]));
      const forward = lines.filter(({ from, to }) => (at.get(from) ?? 0) < (at.get(to) ?? 0));
      expect(flowOrder({ nodes, lines: forward })).toEqual(nodes.map(({ id }) => id));
    }
  });

  // Steps of called processes are in frames, also of processes that these call.
  it('draws steps in frames, and none of their lines up that closes no cycle', async () => {
    const node = (id: string, kind: DiagramNode['kind'], within?: string): DiagramNode => ({
      ...{ id, kind, label: id },
      ...(within && { within }),
    });
    const line = (from: string, to: string, kind: EdgeKind = 'next') => ({
      ...{ id: `${from}>${to}`, from, to, kind },
    });
    const diagram: Diagram = {
      nodes: [
        ...[node('start', 'start'), node('validate', 'stage'), node('kyc', 'call')],
        ...[node('kyc/check', 'review', 'kyc'), node('kyc/aml', 'call', 'kyc')],
        ...[node('kyc/aml/look', 'review', 'kyc/aml'), node('kyc/passed', 'exclusive', 'kyc')],
        ...[
          node('kyc/refused', 'exclusive', 'kyc'),
          node('archived', 'end'),
          node('rejected', 'end'),
        ],
      ],
      lines: [
        ...[line('start', 'validate'), line('validate', 'kyc'), line('kyc', 'kyc/check')],
        ...[line('kyc/check', 'kyc/aml'), line('kyc/aml', 'kyc/aml/look')],
        ...[line('kyc/aml/look', 'kyc/passed'), line('kyc/check', 'kyc/refused')],
        ...[line('kyc/check', 'validate', 'return'), line('kyc/aml/look', 'validate', 'return')],
        ...[line('kyc/passed', 'archived'), line('kyc/refused', 'rejected')],
      ],
    };
    const layout = layoutFrom(await elk.layout(graphFor(diagram)));
    expect([...layout.nodes.keys()].sort()).toEqual(diagram.nodes.map(({ id }) => id).sort());
    expect(await pointingUp(diagram)).toEqual([]);
  });
});
