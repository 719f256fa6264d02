// The notice of decisions that can be undone. Its code and texts are loaded with the first of them.
import { loadTexts } from '../i18n';
import { textsOfPages } from '../i18n/page-texts';

export async function loadUndoNotice() {
  const [code] = await Promise.all([
    import('../features/review/UndoNotice'),
    loadTexts(textsOfPages.UndoNotice),
  ]);
  return code.UndoNotice;
}
