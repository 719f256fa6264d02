// The text of an editor: the stored draft or the original. A changed text is stored as a draft.
import { useRef, useState } from 'react';
import { deleteDraft, loadDraft, saveDraft } from './draft';

export interface DraftText {
  text: string;
  change: (next: string) => void;
  /** Whether the text is a restored draft. */
  restored: boolean;
}

export function useDraftText(key: string, original: string): DraftText {
  const stored = useRef(loadDraft(key));
  const [text, setText] = useState(stored.current ?? original);
  const change = (next: string) => {
    setText(next);
    if (next === original) deleteDraft(key);
    else saveDraft(key, next);
  };
  return {
    text,
    change,
    restored: stored.current !== null && stored.current !== original && text === stored.current,
  };
}
