// Where Tab goes next among the fields: first to each that needs a person, then to the others, then out of the form.

export interface Stop {
  name: string;
  needsPerson: boolean;
}

/** The next field to go to, or null to leave the form. `visited` are those gone to since the form was entered. */
export function nextStop(
  stops: readonly Stop[],
  current: string,
  visited: ReadonlySet<string>,
): string | null {
  const at = stops.findIndex((stop) => stop.name === current);
  const fresh = (stop: Stop) => stop.name !== current && !visited.has(stop.name);
  const round = [...stops.slice(at + 1), ...stops.slice(0, Math.max(at, 0))];
  const needing = round.find((stop) => stop.needsPerson && fresh(stop));
  return (needing ?? stops.find(fresh))?.name ?? null;
}

/** Where the form is entered: the first field that needs a person, else the first. */
export function firstStop(stops: readonly Stop[]): string | null {
  return (stops.find((stop) => stop.needsPerson) ?? stops[0])?.name ?? null;
}

/** The field above or below in the order they are shown. */
export function besideStop(stops: readonly Stop[], current: string, step: 1 | -1): string | null {
  return stops[stops.findIndex((stop) => stop.name === current) + step]?.name ?? null;
}
