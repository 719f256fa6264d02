// The place of the bar of saved views over a list. The application provides the bar, which is a feature of
// its own.

import { type ComponentType, lazy, Suspense } from 'react';
import type { ViewList } from '../graphql/generated/graphql';
import type { Address } from '../lib/view-address';
import { whenOnline } from '../lib/when-online';

export interface ViewBarProps {
  list: ViewList;
  /** The parameters of the address of the list. */
  address: Address;
  /** Opens the list at another address. */
  onOpen: (address: Address) => void;
}

type Load = () => Promise<{ default: ComponentType<ViewBarProps> }>;

let load: Load | undefined;

/** Sets what loads the bar, before a list is shown. */
export function provideViewBar(loader: Load): void {
  load = loader;
}

const ViewBar = lazy(() => {
  if (!load) throw new Error('The bar of saved views was not provided.');
  return whenOnline(load);
});

/** Takes its height before the bar is loaded, so that the list does not move. */
export function SavedViewsBar(props: ViewBarProps) {
  return (
    <div className="cs-view-bar">
      <Suspense fallback={null}>
        <ViewBar {...props} />
      </Suspense>
    </div>
  );
}
