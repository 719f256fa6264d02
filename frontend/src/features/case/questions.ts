// What a reviewer asks when a document is returned, and the answers: one question a line, answered one by one. Both travel
// as plain text, so that the command line, the timeline and the audit trail hold them whole.

/** The questions of a return, without the numbers or dashes that were set before them. */
export function questionsOf(reason: string | null): string[] {
  const lines = (reason ?? '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\d{1,2}[.)]|[-–•*])\s+/, '').trim());
  return lines.filter((line) => line !== '');
}

/** The answers as one text; where there was more than one question, each stands under its own. */
export function answerText(questions: readonly string[], answers: readonly string[]): string {
  if (questions.length < 2) return (answers[0] ?? '').trim();
  return questions
    .map((question, index) => ({
      question,
      answer: (answers[index] ?? '').trim(),
      number: index + 1,
    }))
    .filter(({ answer }) => answer !== '')
    .map(({ question, answer, number }) => `${number}. ${question}\n${answer}`)
    .join('\n');
}
