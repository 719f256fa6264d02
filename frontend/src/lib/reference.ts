// References of cases, such as CS-2026-000007: the addresses of cases that people read and type.

const referencePattern = /^CS-\d{4}-\d+$/i;

/** Whether the text is a reference of a case, in any letter case. */
export function isReference(text: string): boolean {
  return referencePattern.test(text);
}
