// Where the nodes and lines of a drawing lie: asked of elk, in a worker of its own, so that the page stays quick.
import Elk, { type ELK } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import type { Diagram, Layout } from './drawing';
import { graphFor, layoutFrom } from './elk-graph';

let elk: ELK | undefined;

/** Lays the drawing out; rejects when the engine cannot be loaded. */
export async function layOut(diagram: Diagram): Promise<Layout> {
  elk ??= new Elk({ workerUrl });
  return layoutFrom(await elk.layout(graphFor(diagram)));
}
