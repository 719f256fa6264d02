// The values of a form about something that another person may change while the form is open.
import { useState } from 'react';

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/**
 * A field that the user has not changed follows the present value, so that sending the form again does not
 * revert what another person has changed. `changed` are the fields that another person has changed since
 * the form was opened.
 */
export function useFormValues<V extends object>(present: V) {
  const [opened] = useState(present);
  const [edits, setEdits] = useState<Partial<V>>({});
  const set = (edit: Partial<V>) => setEdits((before) => ({ ...before, ...edit }));
  const values: V = { ...present, ...edits };
  return { values, set, changed: changedFields(opened, present, edits) };
}

/** The fields whose present value is neither the one that the form was opened with nor what was typed. */
export function changedFields<V extends object>(
  opened: V,
  present: V,
  edits: Partial<V>,
): (keyof V)[] {
  return (Object.keys(present) as (keyof V)[]).filter(
    (key) => !same(opened[key], present[key]) && !(key in edits && same(edits[key], present[key])),
  );
}
