// The look of the editor: the colours of the page, which differ in its light and dark scheme.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const text = 'var(--mantine-color-text)';
const line = '1px solid var(--cs-line)';

export const theme = EditorView.theme({
  '&': {
    height: 'min(70vh, 44rem)',
    border: line,
    borderRadius: '8px',
    background: 'var(--cs-raised)',
    color: text,
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--cs-link)', outlineOffset: '1px' },
  '.cm-scroller': { font: '12.5px / 20px var(--mantine-font-family-monospace)' },
  '.cm-content': { caretColor: text },
  '.cm-cursor': { borderLeftColor: text },
  '.cm-gutters': {
    border: '0',
    background: 'var(--cs-ground)',
    color: 'var(--mantine-color-dimmed)',
  },
  '.cm-activeLine': { background: 'transparent' },
  '.cm-activeLineGutter': { background: 'var(--cs-ground)', color: text, fontWeight: '700' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'color-mix(in srgb, var(--cs-link) 25%, transparent)' },
  '.cm-searchMatch': { background: 'var(--cs-warn-bg)', outline: '1px solid var(--cs-warn)' },
  '.cm-selectionMatch': { background: 'var(--cs-busy-bg)' },
  '.cm-panels': { background: 'var(--cs-ground)', color: text, borderColor: 'var(--cs-line)' },
  '.cm-tooltip': { border: line, background: 'var(--cs-raised)', color: text },
  '.cm-button': { border: line, background: 'var(--cs-raised)', backgroundImage: 'none' },
  '.cm-textfield': { border: line, background: 'var(--cs-raised)' },
  '.cm-foldPlaceholder': { border: line, background: 'var(--cs-ground)', color: text },
});

export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--cs-link)' },
    { tag: [tags.string, tags.content], color: text },
    { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
    { tag: [tags.number, tags.bool, tags.keyword, tags.labelName], color: 'var(--cs-good)' },
  ]),
);
