// Where Tab goes next among the fields: first to each that needs a person, then to the others, then out of the form.

export interface TabStop {
  name: string;
  needsPerson: boolean;
}

/** The next field to go to, or null to leave the form. `visited` are those gone to since the form was entered. */
export function nextField(
  fields: readonly TabStop[],
  current: string,
  visited: ReadonlySet<string>,
): string | null {
  const at = fields.findIndex((stop) => stop.name === current);
  const unvisited = (stop: TabStop) => stop.name !== current && !visited.has(stop.name);
  const rotated = [...fields.slice(at + 1), ...fields.slice(0, Math.max(at, 0))];
  const needsReview = rotated.find((stop) => stop.needsPerson && unvisited(stop));
  return (needsReview ?? fields.find(unvisited))?.name ?? null;
}

/** Where the form is entered: the first field that needs a person, else the first. */
export function firstField(fields: readonly TabStop[]): string | null {
  return (fields.find((stop) => stop.needsPerson) ?? fields[0])?.name ?? null;
}

/** The field above or below in the order they are shown. */
export function adjacentField(
  fields: readonly TabStop[],
  current: string,
  step: 1 | -1,
): string | null {
  return fields[fields.findIndex((stop) => stop.name === current) + step]?.name ?? null;
}
