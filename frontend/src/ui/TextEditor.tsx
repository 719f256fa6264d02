// A plain text editor with line numbers and marked lines. Tab leaves it, as everywhere on a page.
import { useEffect, useImperativeHandle, useMemo, useRef } from 'react';
import classes from './text-editor.module.css';

/** A message about a line, counted from 1. */
export interface LineMark {
  line: number;
  tone: 'bad' | 'warn';
  text: string;
}

export interface TextEditorHandle {
  /** Scrolls to the line and moves the caret there. */
  goTo: (line: number) => void;
}

interface TextEditorProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  marks?: readonly LineMark[];
  invalid?: boolean;
  handle?: React.Ref<TextEditorHandle>;
}

const lineHeight = 20;

export function TextEditor({
  value,
  onChange,
  label,
  marks = [],
  invalid,
  handle,
}: TextEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const count = useMemo(() => value.split('\n').length, [value]);
  const marked = useMemo(() => {
    const byLine = new Map<number, LineMark>();
    for (const mark of marks)
      if (byLine.get(mark.line)?.tone !== 'bad') byLine.set(mark.line, mark);
    return byLine;
  }, [marks]);
  useImperativeHandle(handle, () => ({
    goTo: (line) => {
      const text = area.current;
      if (!text) return;
      const start = lineStart(text.value, line);
      text.focus();
      text.setSelectionRange(
        start,
        start + (text.value.slice(start).split('\n', 1)[0]?.length ?? 0),
      );
      text.scrollTop = Math.max(0, (line - 6) * lineHeight);
    },
  }));
  // Scroll the line numbers with the text.
  useEffect(() => {
    const text = area.current;
    if (!text) return;
    const follow = () => {
      if (gutter.current) gutter.current.scrollTop = text.scrollTop;
    };
    text.addEventListener('scroll', follow, { passive: true });
    return () => text.removeEventListener('scroll', follow);
  }, []);
  return (
    <div className={classes.editor}>
      <div ref={gutter} className={classes.gutter} aria-hidden="true">
        {Array.from({ length: count }, (_, index) => {
          const mark = marked.get(index + 1);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its number
            <div key={index} data-tone={mark?.tone} title={mark?.text}>
              {index + 1}
            </div>
          );
        })}
      </div>
      <textarea
        ref={area}
        className={classes.area}
        aria-label={label}
        aria-invalid={invalid || undefined}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        wrap="off"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

/** The offset of the line in the text. */
export function lineStart(text: string, line: number): number {
  let at = 0;
  for (let n = 1; n < line; n++) {
    const next = text.indexOf('\n', at);
    if (next < 0) return at;
    at = next + 1;
  }
  return at;
}
