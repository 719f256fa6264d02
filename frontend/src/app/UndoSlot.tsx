// Shows the notice of decisions that can be undone, on every page.
import { type ComponentType, useEffect, useState } from 'react';
import { useStore } from '../lib/store';
import { undoableDecisions } from '../lib/undoable';
import { loadUndoNotice } from './undo';

export function UndoSlot() {
  const offered = useStore(undoableDecisions).length > 0;
  const [Notice, setNotice] = useState<ComponentType | null>(null);
  useEffect(() => {
    if (!offered) return;
    loadUndoNotice().then(
      (loaded) => setNotice(() => loaded),
      () => undefined, // without a connection nothing can be undone
    );
  }, [offered]);
  return Notice && <Notice />;
}
