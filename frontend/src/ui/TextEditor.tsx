// An editor of a text. Its library is loaded with the first one; if that fails, a text area takes its
// place.
import { Skeleton, Textarea } from '@mantine/core';
import { lazy, Suspense } from 'react';

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

export interface TextEditorProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  marks?: readonly LineMark[];
  invalid?: boolean;
  handle?: React.Ref<TextEditorHandle>;
}

const CodeEditor = lazy(() =>
  import('./code/CodeEditor').then(
    ({ CodeEditor }) => ({ default: CodeEditor }),
    () => ({ default: PlainEditor }),
  ),
);

export function TextEditor(props: TextEditorProps) {
  return (
    <Suspense fallback={<Skeleton height="min(70vh, 44rem)" />}>
      <CodeEditor {...props} />
    </Suspense>
  );
}

/** The text alone, without what the library adds. */
function PlainEditor({ value, onChange, label, invalid }: TextEditorProps) {
  return (
    <Textarea
      aria-label={label}
      aria-invalid={invalid || undefined}
      spellCheck={false}
      rows={30}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
