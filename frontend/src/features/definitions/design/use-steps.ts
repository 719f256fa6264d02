// The changes that were made to a text on a page, to undo them one by one.
import { useEffect, useRef, useState } from 'react';

/** A text before a change, with what the change was to. */
interface Step {
  text: string;
  what: string;
}

const mostSteps = 200;

export interface Steps {
  /** `what` is the field that changes: typing into one field is one step. */
  change: (text: string, what: string) => void;
  /** Undoes the last step; null if there is none. */
  undo: (() => void) | null;
}

/** The steps of a text that forms, the editor and imports change. */
export function useSteps(text: string, onChange: (text: string) => void): Steps {
  const [steps, setSteps] = useState<readonly Step[]>([]);
  // An import changes the text after a wait, so it needs the text of then.
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  });
  const last = steps.at(-1);
  return {
    change: (next, what) => {
      const before = latest.current;
      if (next === before) return;
      setSteps((all) =>
        all.at(-1)?.what === what ? all : [...all, { text: before, what }].slice(-mostSteps),
      );
      onChange(next);
    },
    undo: last
      ? () => {
          setSteps(steps.slice(0, -1));
          onChange(last.text);
        }
      : null,
  };
}
