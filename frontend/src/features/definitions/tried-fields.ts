// The fields of a made-up case, which are typed as lines.

/** The fields of lines such as "department = sales"; null if a line is none. */
export function fieldsOf(text: string): { name: string; value: string }[] | null {
  const fields: { name: string; value: string }[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (name === '') return null;
    fields.push({ name, value: line.slice(at + 1).trim() });
  }
  return fields;
}
