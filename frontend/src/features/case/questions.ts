// A reviewer's questions and the submitter's answers. Both are sent as plain text, one question per
// line, so that the CLI, the timeline and the audit trail show them completely.

/** The questions of a return, without leading numbers or dashes. */
export function questionsOf(reason: string | null): string[] {
  const lines = (reason ?? '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\d{1,2}[.)]|[-–•*])\s+/, '').trim());
  return lines.filter((line) => line !== '');
}

/** The answers as one text; with several questions, each answer follows its question. */
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
