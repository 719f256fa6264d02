// The place of the commands on selected rows. The application provides them, which are a feature of
// their own, so that a list is shown before they are loaded.

import { type ComponentType, lazy, Suspense, useState } from 'react';
import { whenOnline } from '../lib/when-online';

/** A selected case, as it was when it was selected. */
export interface SelectedCase {
  id: string;
  reference: string;
  /** The version of its values. */
  version: string;
  final: boolean;
}

export interface BulkActionsProps {
  cases: readonly SelectedCase[];
  /** The ids of all cases that the user has selected, also of those that have left the list. */
  selected: ReadonlySet<string>;
  /** Only these reviews of the cases; null means all. */
  reviews: ReadonlySet<string> | null;
  /** The selected cases that the page does not show; null if it shows all. */
  notShown: number | null;
  /** The user acts for a delegator, for whom bulk commands are not permitted. */
  onBehalf: boolean;
  /** The commands include the export of the cases. */
  exported: boolean;
  /** A command has succeeded for these cases. */
  onDone: (caseIds: readonly string[]) => void;
  onClear: () => void;
}

type Load = () => Promise<{ default: ComponentType<BulkActionsProps> }>;

let load: Load | undefined;

/** Sets what loads the commands, before a list is shown. */
export function provideBulkActions(loader: Load): void {
  load = loader;
}

const Loaded = lazy(() => {
  if (!load) throw new Error('The commands on selected rows were not provided.');
  return whenOnline(load);
});

/** Is loaded with the first selection, and stays, because it also shows results. */
export function BulkActions(props: BulkActionsProps) {
  const [used, setUsed] = useState(false);
  if (props.cases.length > 0 && !used) setUsed(true);
  if (!used) return null;
  return (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  );
}
