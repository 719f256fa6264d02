// The bounds of a search that the server also has.

/** The longest query, in characters. */
export const maxQuery = 200;
