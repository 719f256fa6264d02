// Where a node can be moved or inserted: into the connections of other nodes.
import { fixedReason } from './change';
import {
  type Connection,
  connectionId,
  connectionsOf,
  type Design,
  type DesignNode,
} from './design';

export interface Place {
  /** As the id of the line in the drawing. */
  id: string;
  from: DesignNode;
  connection: Connection;
}

/** Every connection into which a node can be put. A return has no step on the way. */
export function placesOf(design: Design): Place[] {
  return design.nodes.flatMap((from) =>
    connectionsOf(from)
      .filter(({ kind }) => kind !== 'return')
      .map((connection) => ({ from, connection, id: connectionId(from.id, connection) })),
  );
}

/** The connections into which the node can be moved. */
export const placesFor = (design: Design, node: DesignNode): Place[] =>
  placesOf(design).filter(
    ({ from, connection }) => from.id !== node.id && connection.to !== node.id,
  );

/** Why a node cannot be moved; null if it can. */
export function immovableReason(
  design: Design,
  node: DesignNode,
): 'start' | 'named' | 'gateway' | null {
  if (['end', 'fork', 'join'].includes(node.kind)) return 'gateway';
  return fixedReason(design, node);
}
