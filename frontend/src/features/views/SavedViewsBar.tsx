// The bar of saved views over a list.
import { lazy, Suspense } from 'react';
import type { ViewList } from '../../graphql/generated/graphql';
import { loadViewBar } from './load';
import type { Address } from './view-address';
import classes from './views.module.css';

export interface ViewBarProps {
  list: ViewList;
  /** The parameters of the address of the list. */
  address: Address;
  /** Opens the list at another address. */
  onOpen: (address: Address) => void;
}

const ViewBar = lazy(loadViewBar);

/** Takes its height before it is loaded, so that the list does not move. */
export function SavedViewsBar(props: ViewBarProps) {
  return (
    <div className={classes.place}>
      <Suspense fallback={null}>
        <ViewBar {...props} />
      </Suspense>
    </div>
  );
}
