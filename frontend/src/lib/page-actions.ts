// What can be done on the present page: its keyboard shortcuts, which the command palette lists too.
import { makeStore } from './store';

/** An action of the page, the same function that its key and its button call. */
export interface PageAction {
  /** The key, as shown. */
  keys: string;
  label: string;
  run: () => void;
}

/** The actions of the present page that have keys. */
export const pageActions = makeStore<() => readonly PageAction[]>(() => []);
