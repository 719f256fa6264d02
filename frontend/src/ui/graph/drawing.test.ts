import { describe, expect, it } from 'vitest';
import { type Diagram, pathOf, shapeOf, shortened, widthOf } from './drawing';
import { graphFor, layoutFrom } from './elk-graph';

const diagram: Diagram = {
  nodes: [
    { id: 'start', kind: 'start', label: 'Comes in' },
    { id: 'read', kind: 'stage', label: 'Read' },
  ],
  lines: [
    { id: 'a', from: 'start', to: 'read', kind: 'next', label: 'first' },
    { id: 'b', from: 'read', to: 'nowhere', kind: 'next' },
  ],
};

describe('a diagram', () => {
  it('keeps its shape when only states change', () => {
    const later: Diagram = {
      ...diagram,
      nodes: diagram.nodes.map((node) => ({ ...node, state: 'done' })),
    };
    expect(shapeOf(later)).toBe(shapeOf(diagram));
    expect(shapeOf({ ...diagram, lines: [] })).not.toBe(shapeOf(diagram));
  });

  it('omits edges to unknown nodes from the ELK input', () => {
    const graph = graphFor(diagram);
    expect(graph.children?.map(({ id }) => id)).toEqual(['start', 'read']);
    expect(graph.edges?.map(({ id }) => id)).toEqual(['a']);
    expect(graph.edges?.[0]?.labels?.[0]).toMatchObject({ text: 'first', width: widthOf('first') });
  });

  it('converts the ELK output into a layout', () => {
    const section = {
      id: 's',
      startPoint: { x: 0, y: 1 },
      bendPoints: [{ x: 0, y: 5 }],
      endPoint: { x: 9, y: 5 },
    };
    const layout = layoutFrom({
      id: 'process',
      width: 10.2,
      height: 20,
      children: [{ id: 'read', x: 1, y: 2, width: 3, height: 4 }],
      edges: [{ id: 'a', sources: [], targets: [], sections: [section] }],
    });
    expect(layout.width).toBe(11);
    expect(layout.nodes.get('read')).toEqual({ x: 1, y: 2, width: 3, height: 4 });
    expect(layout.lines.get('a')?.points).toEqual([
      { x: 0, y: 1 },
      { x: 0, y: 5 },
      { x: 9, y: 5 },
    ]);
  });

  it('puts the nodes of a called process into a frame', () => {
    const called: Diagram = {
      nodes: [
        ...diagram.nodes,
        { id: 'kyc', kind: 'call', label: 'KYC' },
        { id: 'kyc/aml', kind: 'call', label: 'AML', within: 'kyc' },
        { id: 'kyc/aml/look', kind: 'stage', label: 'Look', within: 'kyc/aml' },
      ],
      lines: [{ id: 'c', from: 'kyc', to: 'kyc/aml', kind: 'next' }],
    };
    const graph = graphFor(called);
    expect(graph.children?.map(({ id }) => id)).toEqual(['start', 'read', 'frame kyc']);
    const frame = graph.children?.[2];
    expect(frame?.children?.map(({ id }) => id)).toEqual(['kyc', 'frame kyc/aml']);
    expect(frame?.children?.[1]?.children?.map(({ id }) => id)).toEqual([
      'kyc/aml',
      'kyc/aml/look',
    ]);
    const placed = layoutFrom({
      id: 'process',
      children: [{ id: 'frame kyc', x: 1, y: 2, children: [{ id: 'kyc', x: 3, y: 4 }] }],
    });
    expect(placed.frames.get('kyc')).toMatchObject({ x: 1, y: 2 });
    expect(placed.nodes.get('kyc')).toMatchObject({ x: 3, y: 4 });
    expect(shapeOf(called)).not.toBe(shapeOf({ ...called, nodes: called.nodes.slice(0, 3) }));
  });

  it('draws edges with rounded corners', () => {
    const corner = [
      { x: 0, y: 0 },
      { x: 0, y: 20 },
      { x: 30, y: 20 },
    ];
    expect(pathOf(corner)).toBe('M0,0L0,12Q0,20 8,20L30,20');
    expect(pathOf([])).toBe('');
  });

  it('counts wide characters twice and shortens long conditions', () => {
    expect(widthOf('批准')).toBeGreaterThan(widthOf('ab'));
    expect(shortened('risk > 40 && amount_known && true')).toBe('risk > 40 && amount_known…');
  });
});
