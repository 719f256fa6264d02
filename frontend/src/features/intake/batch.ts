// The files chosen on this page: some are being sent, the others are waiting. The batch outlives
// the page, so uploads continue during navigation.
import { type ActorRefFrom, createActor } from 'xstate';
import { type FileFault, faultOf, type UploadLimits } from '../../lib/files';
import { newKey } from '../../lib/keys';
import type { Refusal } from '../../lib/refusals';
import { session } from '../../lib/session';
import { makeStore, type Store } from '../../lib/store';
import type { UploadEvent, uploadMachine } from './upload-machine';

export type UploadActor = ActorRefFrom<typeof uploadMachine>;

export interface UploadItem {
  key: string;
  actor: UploadActor;
}

/**
 * The number of concurrent uploads; browsers open six connections per server, and the pages need
 * some of them.
 */
const maxInFlight = 3;

const inFlightStates = new Set(['sending', 'pausing', 'signedOut']);

/**
 * The refusal that the server would return for the file, with the same remedy. The server also says
 * what an unsupported file is.
 */
export function refusalOf(fault: FileFault, limits: UploadLimits): Refusal {
  switch (fault) {
    case 'EmptyFile':
      return {
        code: fault,
        message: 'The file is empty.',
        remedy: 'Choose the file again; it may not have been saved yet.',
      };
    case 'FileTooLarge':
      return { code: fault, message: `The file is larger than ${limits.maxBytes >> 20} MB.` };
    case 'UnsupportedFile':
      return {
        code: fault,
        message: 'This kind of file is not supported.',
        remedy: 'Submit a PDF, PNG, JPEG or TIFF file, or an e-invoice in XML.',
      };
  }
}

/** The uploads of the application. */
export class Batch {
  readonly items: Store<readonly UploadItem[]> = makeStore<readonly UploadItem[]>([]);
  private readonly machine: typeof uploadMachine;

  constructor(machine: typeof uploadMachine) {
    this.machine = machine;
    window.addEventListener('online', () => this.broadcast({ type: 'reconnected' }));
    session.subscribe(() => {
      if (session.get().state === 'signedIn') this.broadcast({ type: 'reconnected' });
    });
  }

  /** Adds files at the top of the list and starts as many uploads as permitted. */
  add(files: readonly File[], limits: UploadLimits): readonly UploadItem[] {
    const newItems = files.map((file): UploadItem => {
      const fault = faultOf(file, limits);
      const key = newKey();
      const actor = createActor(this.machine, {
        input: { file, key, refusals: fault ? [refusalOf(fault, limits)] : [] },
      });
      actor.subscribe(() => this.advance());
      return { key, actor };
    });
    this.items.set([...newItems, ...this.items.get()]);
    for (const item of newItems) item.actor.start();
    this.advance();
    return newItems;
  }

  /** Starts the next waiting files. */
  private advance(): void {
    const states = this.items
      .get()
      .map((item) => ({ item, state: item.actor.getSnapshot().value }));
    let free = maxInFlight - states.filter(({ state }) => inFlightStates.has(state)).length;
    for (const { item, state } of states) {
      if (free <= 0) return;
      if (state !== 'waiting') continue;
      free--;
      item.actor.send({ type: 'begin' });
    }
  }

  private broadcast(event: UploadEvent): void {
    for (const { actor } of this.items.get()) if (actor.getSnapshot().can(event)) actor.send(event);
  }

  /** Cancels all unfinished uploads. */
  cancelAll(): void {
    // Waiting files first, so that none of them starts in place of a cancelled one.
    const open = this.items
      .get()
      .filter(({ actor }) => actor.getSnapshot().can({ type: 'cancel' }));
    const order = open.sort((a, b) => cancelOrder(a) - cancelOrder(b));
    for (const { actor } of order) actor.send({ type: 'cancel' });
  }

  /** Removes refused and cancelled files from the list. */
  clear(): void {
    const removable = new Set(['cancelled', 'refused']);
    this.items.set(
      this.items.get().filter(({ actor }) => !removable.has(actor.getSnapshot().value)),
    );
  }
}

const cancelOrder = (item: UploadItem) => (item.actor.getSnapshot().value === 'waiting' ? 0 : 1);
