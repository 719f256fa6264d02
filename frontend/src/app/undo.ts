// The notice of decisions that can be undone. Its code and texts are loaded with the first of them.
import { loadWithTexts } from './load-with-texts';

export async function loadUndoNotice() {
  return (await loadWithTexts(() => import('../features/review/UndoNotice'), 'UndoNotice'))
    .UndoNotice;
}
