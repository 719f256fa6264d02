// The id inside a global id of the API, which exports and files are addressed by.

/** Decodes the base64url text "Kind:uuid"; null if it is no global id. */
export function plainID(id: string): string | null {
  try {
    const text = atob(id.replaceAll('-', '+').replaceAll('_', '/'));
    return text.slice(text.indexOf(':') + 1);
  } catch {
    return null;
  }
}
