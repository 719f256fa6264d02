// What a person chose about the layout, kept in this browser by the id of the person. Nothing of it
// is needed: a browser without storage uses the defaults.

type Setting = 'menu' | 'side';

const keyOf = (person: string, setting: Setting) => `countersign.${setting}.${person}`;

/** The kept value; null if there is none. */
export function personSetting(person: string | null, setting: Setting): string | null {
  if (person === null) return null;
  try {
    return localStorage.getItem(keyOf(person, setting));
  } catch {
    return null;
  }
}

export function keepPersonSetting(person: string | null, setting: Setting, value: string): void {
  if (person === null) return;
  try {
    localStorage.setItem(keyOf(person, setting), value);
  } catch {
    // The value holds until the page is closed.
  }
}
