// A text box whose text takes effect after a pause.
import { useEffect, useState } from 'react';

const pause = 250;

/** The typed text and how it is set; `onText` is called with it, trimmed, when the person pauses. */
export function useLateText(
  shown: string,
  onText: (text: string) => void,
): [string, (text: string) => void] {
  const [input, setInput] = useState(shown);
  const [shownBefore, setShownBefore] = useState(shown);
  // The text was changed elsewhere, such as by a link or a saved view.
  if (shown !== shownBefore) {
    setShownBefore(shown);
    setInput(shown);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callback changes with each run
  useEffect(() => {
    const text = input.trim();
    if (text === shown) return;
    const timer = setTimeout(() => {
      setShownBefore(text);
      onText(text);
    }, pause);
    return () => clearTimeout(timer);
  }, [input, shown]);
  return [input, setInput];
}
