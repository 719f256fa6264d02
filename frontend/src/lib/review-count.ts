/** Up to which number the API counts the reviews of a list; a list of so many may be longer. */
export const countedUpTo = 1_000;
