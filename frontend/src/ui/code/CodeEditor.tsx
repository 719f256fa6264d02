// A text with line numbers, colours, search and messages at its lines. Loaded only with a page that
// edits a text (ui/TextEditor.tsx). Tab leaves it, as everywhere on a page.
import { yaml } from '@codemirror/lang-yaml';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { TextEditorProps } from '../TextEditor';
import { changeBetween, diagnosticsOf } from './changes';
import { phrasesOf } from './phrases';
import { colours, theme } from './theme';

/** Marks a change that the page made, not the person. */
const fromPage = Annotation.define<boolean>();

export function CodeEditor({ value, onChange, label, marks, invalid, handle }: TextEditorProps) {
  const { t } = useTranslation();
  const [host, setHost] = useState<HTMLDivElement | null>(null);
  const view = useRef<EditorView | null>(null);
  const [attributes] = useState(() => new Compartment());
  const newest = useRef({ value, onChange, label, invalid, phrases: phrasesOf(t) });
  useLayoutEffect(() => {
    newest.current = { value, onChange, label, invalid, phrases: phrasesOf(t) };
  });
  useLayoutEffect(() => {
    if (!host) return;
    const created = new EditorView({
      parent: host,
      doc: newest.current.value,
      extensions: [
        basicSetup,
        yaml(),
        lintGutter(),
        theme,
        colours,
        EditorState.phrases.of(newest.current.phrases),
        attributes.of(attributesOf(newest.current.label, newest.current.invalid)),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          if (!docChanged || transactions.some((one) => one.annotation(fromPage))) return;
          // Rendered before the next key, so that an older text of the page never replaces it.
          flushSync(() => newest.current.onChange(state.doc.toString()));
        }),
      ],
    });
    view.current = created;
    return () => {
      view.current = null;
      created.destroy();
    };
  }, [host, attributes]);
  useLayoutEffect(() => {
    view.current?.dispatch({ effects: attributes.reconfigure(attributesOf(label, invalid)) });
  }, [label, invalid, attributes]);
  // A drawing, a form or a template changes the text beside the editor.
  useLayoutEffect(() => {
    const changes = view.current && changeBetween(view.current.state.doc.toString(), value);
    if (changes) view.current?.dispatch({ changes, annotations: fromPage.of(true) });
  }, [value]);
  useEffect(() => {
    const { current } = view;
    if (host && current)
      current.dispatch(
        setDiagnostics(current.state, diagnosticsOf(current.state.doc, marks ?? [])),
      );
  }, [host, marks]);
  useImperativeHandle(handle, () => ({
    goTo: (line) => {
      const { current } = view;
      if (!current || line > current.state.doc.lines) return;
      const { from, to } = current.state.doc.line(line);
      current.dispatch({
        selection: { anchor: from, head: to },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      });
      current.focus();
    },
  }));
  return <div ref={setHost} />;
}

/** The accessible name of the text, and whether it has errors. */
function attributesOf(label: string, invalid: boolean | undefined): Extension {
  return EditorView.contentAttributes.of({
    'aria-label': label,
    ...(invalid && { 'aria-invalid': 'true' }),
    autocapitalize: 'off',
    // So that the scrolling frame is known to be reached by the keyboard.
    tabindex: '0',
  });
}
