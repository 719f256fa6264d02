// The attributes in which two values differ.
import { isRecord } from './design/design';

/** An attribute that differs. A value that is absent is undefined. */
export interface ChangedPart {
  /** The names that lead to it, such as `message.en`. */
  path: string;
  before: unknown;
  after: unknown;
}

/** The differences of two values, as deep as both are mappings. */
export function differencesOf(before: unknown, after: unknown, path = ''): ChangedPart[] {
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) =>
      differencesOf(before[name], after[name], path === '' ? name : `${path}.${name}`),
    );
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}
