// The text of an editor: as it was typed before, else as it stands; kept in this window while it differs.
import { useRef, useState } from 'react';
import { dropDraft, keepDraft, keptDraft } from './draft';

export interface DraftText {
  text: string;
  change: (next: string) => void;
  /** The text is one that was typed before and kept. */
  restored: boolean;
}

export function useDraftText(key: string, from: string): DraftText {
  const kept = useRef(keptDraft(key));
  const [text, setText] = useState(kept.current ?? from);
  const change = (next: string) => {
    setText(next);
    if (next === from) dropDraft(key);
    else keepDraft(key, next);
  };
  return {
    text,
    change,
    restored: kept.current !== null && kept.current !== from && text === kept.current,
  };
}
