// Processes of sample shares as texts.

interface NamedProcess {
  key: string;
  titles: readonly { name: string; value: string }[];
}

/** The title of a process in the user's language; the key of one that has no title in it. */
export function processTitle(
  processes: readonly NamedProcess[],
  language: string,
  key: string,
): string {
  const titles = processes.find((one) => one.key === key)?.titles ?? [];
  return titles.find(({ name }) => name === language)?.value || key;
}

/** Process and stratum of a proposed sample share, which are stored as "process/stratum". */
export function shareSubject(subject: string): { process: string; stratum: string } {
  const at = subject.lastIndexOf('/');
  return { process: subject.slice(0, at), stratum: subject.slice(at + 1).toUpperCase() };
}
