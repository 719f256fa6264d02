// What a new process can start from: small templates and the built-in definitions, as files of the tree.
import { parseDocument } from 'yaml';

/** A definition to start from. */
export interface Template {
  key: string;
  title: Record<string, string>;
  /** What it is for, in one sentence by language. */
  about: Record<string, string>;
  text: string;
}

const files = import.meta.glob<string>('../../../../workflow/{templates,definitions}/*.yaml', {
  query: '?raw',
  import: 'default',
});

/** Reads the file of a template: its front matter, if it has one, and the definition. */
export function readTemplate(file: string): Template {
  const parts = /^---\n([\s\S]*?\n)---\n([\s\S]*)$/.exec(file);
  const text = parts?.[2] ?? file;
  const header = parseDocument(text).toJS() as { key: string; title: Record<string, string> };
  const front = parseDocument(parts?.[1] ?? '').toJS() as { about?: Record<string, string> } | null;
  return { key: header.key, title: header.title, about: front?.about ?? {}, text };
}

/** All templates: the small ones first, then the built-in definitions. */
export async function loadTemplates(): Promise<Template[]> {
  const names = Object.keys(files).sort(
    (a, b) => Number(a.includes('/definitions/')) - Number(b.includes('/definitions/')),
  );
  return Promise.all(names.map(async (name) => readTemplate((await files[name]?.()) ?? '')));
}

/** The text of a template with a key that no process has, as a first version. */
export function fromTemplate(template: Template, taken: ReadonlySet<string>): string {
  let key = template.key;
  for (let number = 2; taken.has(key); number++) key = `${template.key}_${number}`;
  return template.text
    .replace(/^key: .*$/m, () => `key: ${key}`)
    .replace(/^version: .*$/m, () => 'version: 1');
}
