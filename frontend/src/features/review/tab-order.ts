// The Tab order of the fields: first those that need a person, then the others, then out of the
// form.

export interface TabStop {
  name: string;
  needsPerson: boolean;
}

/**
 * The next field, or null to leave the form. `visited` are the fields focused since the form was
 * entered.
 */
export function nextField(
  fields: readonly TabStop[],
  current: string,
  visited: ReadonlySet<string>,
): string | null {
  const at = fields.findIndex((field) => field.name === current);
  const unvisited = (field: TabStop) => field.name !== current && !visited.has(field.name);
  const rotated = [...fields.slice(at + 1), ...fields.slice(0, Math.max(at, 0))];
  const needsReview = rotated.find((field) => field.needsPerson && unvisited(field));
  return (needsReview ?? fields.find(unvisited))?.name ?? null;
}

/** The field where the form is entered: the first that needs a person, otherwise the first. */
export function firstField(fields: readonly TabStop[]): string | null {
  return (fields.find((field) => field.needsPerson) ?? fields[0])?.name ?? null;
}

/** The previous or next field in display order. */
export function adjacentField(
  fields: readonly TabStop[],
  current: string,
  step: 1 | -1,
): string | null {
  return fields[fields.findIndex((field) => field.name === current) + step]?.name ?? null;
}
