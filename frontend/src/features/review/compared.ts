// The values of two documents side by side.

interface ComparedLine {
  name: string;
  field: { raw: string; normalised: string } | null;
}

export interface ComparedValue {
  name: string;
  mine: string;
  theirs: string;
  different: boolean;
}

const textOf = (line: ComparedLine | undefined) =>
  line?.field?.normalised || line?.field?.raw || '';

/** Whether a document has a value at all: it may not be read yet. */
export const hasValues = (form: readonly ComparedLine[]) =>
  form.some((line) => textOf(line) !== '');

/**
 * The fields that either document has a value of, different ones first, otherwise in their order. Nothing
 * differs from a document without values.
 */
export function comparedValues(
  mine: readonly ComparedLine[],
  theirs: readonly ComparedLine[],
): ComparedValue[] {
  const names = [...new Set([...mine, ...theirs].map(({ name }) => name))];
  const comparable = hasValues(mine) && hasValues(theirs);
  const values = names.map((name) => {
    const [a, b] = [mine, theirs].map((form) => textOf(form.find((line) => line.name === name)));
    return { name, mine: a ?? '', theirs: b ?? '', different: comparable && a !== b };
  });
  return values
    .filter((value) => value.mine !== '' || value.theirs !== '')
    .sort((a, b) => Number(b.different) - Number(a.different));
}
