// The text of an editor: as it was typed before, else as it stands; kept in this window while it differs.
import { useRef, useState } from 'react';
import { deleteDraft, loadDraft, saveDraft } from './draft';

export interface DraftText {
  text: string;
  change: (next: string) => void;
  /** The text is one that was typed before and kept. */
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
