// Lays out a diagram with ELK in a web worker, so that the page stays responsive.
import Elk, { type ELK } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import type { Diagram, Layout } from './drawing';
import { graphFor, layoutFrom } from './elk-graph';

let elk: ELK | undefined;

/** Lays out the diagram; rejects if the engine cannot be loaded. */
export async function layOut(diagram: Diagram): Promise<Layout> {
  elk ??= new Elk({ workerUrl });
  return layoutFrom(await elk.layout(graphFor(diagram)));
}
