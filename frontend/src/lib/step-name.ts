// The name of the step of a review, which its process gives in both languages.

interface Step {
  node: string;
  stepTitles: readonly { name: string; value: string }[];
}

/** The name of the step in the language; otherwise its first name, or its id. */
export function stepName(language: string, { node, stepTitles }: Step): string {
  const named = stepTitles.find(({ name }) => name === language) ?? stepTitles[0];
  return named?.value || node;
}
