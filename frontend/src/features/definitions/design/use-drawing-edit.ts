// What a drag on the drawing changes in the text: each drop is one step that can be undone.
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BeginDrag, DiagramEdit, Drag } from '../../../ui/graph/edit';
import { connectionName } from './Connections';
import type { CallableProcess } from './call';
import { type AddableKind, addNode, connect, moveNode, setHeader, successorOf } from './change';
import { connectionId, connectionsOf, type Design, type DesignNode } from './design';
import { lead, type Outlet, outletsOf } from './outlets';
import { immovableReason, type Place, placesFor, placesOf } from './placement';

interface EditedDrawing {
  text: string;
  design: Design;
  nameOf: (id: string) => string;
  called: CallableProcess | undefined;
  change: (text: string, what: string, select?: string | null) => void;
}

/** An arrow that was drawn, until the person says which connection it is. */
export interface DrawnArrow {
  node: DesignNode;
  outlets: readonly Outlet[];
  to: string;
}

/** The line that leads from any step to where an abandoned case goes. */
const abandonLine = 'abandon';

export function useDrawingEdit(drawing: EditedDrawing) {
  const { text, design, nameOf, called, change } = drawing;
  const { t } = useTranslation();
  const begin = useRef<BeginDrag | null>(null);
  const [drawn, setDrawn] = useState<DrawnArrow | null>(null);
  const nodeOf = (id: string) => design.nodes.find((node) => node.id === id);
  const connectionOf = (line: string): Pick<Place, 'from' | 'connection'> | undefined =>
    design.nodes
      .flatMap((from) => connectionsOf(from).map((connection) => ({ from, connection })))
      .find(({ from, connection }) => connectionId(from.id, connection) === line);
  const draw = (node: DesignNode, outlet: Outlet, to: string) => {
    setDrawn(null);
    const id = connectionId(node.id, outlet.connection);
    change(lead(text, node, outlet, to), `draw ${id} ${to}`, node.id);
  };
  const insert = ({ from, connection }: Omit<Place, 'id'>, kind: AddableKind) => {
    const added = addNode(text, design, from, connection, kind, called);
    change(added.text, `add ${added.id}`, added.id);
  };
  const placesOfDrag = (drag: Drag): Place[] => {
    if (drag.kind === 'add') return placesOf(design);
    const node = drag.kind === 'move' ? nodeOf(drag.node) : undefined;
    return node && !immovableReason(design, node) ? placesFor(design, node) : [];
  };
  const drop = (drag: Drag, target: string) => {
    if (drag.kind === 'connect') {
      const node = nodeOf(drag.from);
      const outlets = node ? outletsOf(node) : [];
      const [only] = outlets;
      if (node && only && outlets.length === 1) draw(node, only, target);
      else if (node && only) setDrawn({ node, outlets, to: target });
    } else if (drag.kind === 'retarget') {
      const what = `draw ${drag.line} ${target}`;
      const one = connectionOf(drag.line);
      if (one) change(connect(text, one.from, one.connection, target), what);
      else if (drag.line === abandonLine) change(setHeader(text, ['on_abandon'], target), what);
    } else {
      const place = placesOfDrag(drag).find(({ id }) => id === target);
      const node = drag.kind === 'move' ? nodeOf(drag.node) : undefined;
      if (place && drag.kind === 'add') insert(place, drag.what as AddableKind);
      else if (place && node)
        change(
          moveNode(text, design, node, place.from, place.connection),
          `move ${node.id} ${target}`,
          node.id,
        );
    }
  };
  const describe = (drag: Drag, target: string | null): string => {
    if (drag.kind === 'connect' || drag.kind === 'retarget')
      return target === null
        ? t('design.drag.toNode')
        : t('design.drag.connect', { to: nameOf(target) });
    const node = drag.kind === 'move' ? nodeOf(drag.node) : undefined;
    const reason = node && immovableReason(design, node);
    if (reason) return t(`design.fixed.${reason}`);
    const place = placesOfDrag(drag).find(({ id }) => id === target);
    return place
      ? t('design.place', {
          node: nameOf(place.from.id),
          way: connectionName(t, place.from, place.connection),
        })
      : t('design.drag.toArrow');
  };
  const edit: DiagramEdit = {
    mayDrop: (drag, target) => {
      if (drag.kind === 'connect') return target !== drag.from && nodeOf(target) !== undefined;
      if (drag.kind === 'retarget') {
        const from = connectionOf(drag.line)?.from.id;
        // The lines of called steps are not those of this text.
        const known = from !== undefined || drag.line === abandonLine;
        return known && target !== from && nodeOf(target) !== undefined;
      }
      return placesOfDrag(drag).some(({ id }) => id === target);
    },
    onDrop: drop,
    describe,
    begin,
  };
  /** Inserts a step between a node and its main successor. */
  const insertAfter = (node: DesignNode, kind: AddableKind) => {
    const connection = connectionsOf(node).find(({ to }) => to === successorOf(node));
    if (connection) insert({ from: node, connection }, kind);
  };
  return { edit, drawn, draw, cancel: () => setDrawn(null), insertAfter };
}
