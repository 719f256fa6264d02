// The texts of the editor's search panel and messages, in the language of the page.
import type { TFunction } from 'i18next';

/** By the English text of the library. */
export function phrasesOf(t: TFunction<'translation'>): Record<string, string> {
  return {
    Find: t('editor.find'),
    Replace: t('editor.replaceWith'),
    next: t('editor.next'),
    previous: t('editor.previous'),
    all: t('editor.all'),
    'match case': t('editor.matchCase'),
    'by word': t('editor.byWord'),
    regexp: t('editor.regexp'),
    replace: t('editor.replace'),
    'replace all': t('editor.replaceAll'),
    close: t('ui.close'),
    'current match': t('editor.currentMatch'),
    'on line': t('editor.onLine'),
    'replaced $ matches': t('editor.replacedMatches'),
    'replaced match on line $': t('editor.replacedOnLine'),
    'Go to line': t('editor.goToLine'),
    go: t('editor.go'),
    Diagnostics: t('editor.messages'),
    'No diagnostics': t('editor.noMessages'),
    'Fold line': t('editor.fold'),
    'Unfold line': t('editor.unfold'),
    unfold: t('editor.unfold'),
    'folded code': t('editor.folded'),
    'Folded lines': t('editor.foldedLines'),
    'Unfolded lines': t('editor.unfoldedLines'),
    to: t('editor.to'),
  };
}
