// A line-by-line diff of two texts.

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** The line number in the newer text; of a removed line, in the older one. */
  number: number;
}

/**
 * The limit for a line-by-line comparison; of longer texts, everything between the equal ends
 * counts as changed.
 */
const longest = 1_500;

/** The lines of both texts: equal ones once, removed ones before those that replace them. */
export function diffOf(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  ) {
    tail++;
  }
  const same = (index: number): DiffLine => ({
    kind: 'same',
    text: now[index] ?? '',
    number: index + 1,
  });
  const middle = changesOf(
    old.slice(head, old.length - tail),
    now.slice(head, now.length - tail),
  ).map((line) => ({
    ...line,
    number: line.number + head,
  }));
  return [
    ...Array.from({ length: head }, (_, index) => same(index)),
    ...middle,
    ...Array.from({ length: tail }, (_, index) => same(now.length - tail + index)),
  ];
}

function changesOf(old: readonly string[], now: readonly string[]): DiffLine[] {
  const comparable = old.length * now.length <= longest * longest;
  const common = comparable ? commonOf(old, now) : [];
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  for (const [oldAt, nowAt] of [...common, [old.length, now.length] as const]) {
    for (; i < oldAt; i++) lines.push({ kind: 'removed', text: old[i] ?? '', number: i + 1 });
    for (; j < nowAt; j++) lines.push({ kind: 'added', text: now[j] ?? '', number: j + 1 });
    if (oldAt < old.length) lines.push({ kind: 'same', text: now[nowAt] ?? '', number: nowAt + 1 });
    [i, j] = [oldAt + 1, nowAt + 1];
  }
  return lines;
}

/** The index pairs of the longest common subsequence, in order. */
function commonOf(old: readonly string[], now: readonly string[]): (readonly [number, number])[] {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const places: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) places.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return places;
}

/** The changed lines with their context; null replaces omitted equal lines. */
export function hunksOf(lines: readonly DiffLine[], around = 2): (DiffLine | null)[] {
  const shownIndexes = new Set<number>();
  lines.forEach((line, index) => {
    if (line.kind === 'same') return;
    for (let near = index - around; near <= index + around; near++) shownIndexes.add(near);
  });
  const hunks: (DiffLine | null)[] = [];
  lines.forEach((line, index) => {
    if (shownIndexes.has(index)) hunks.push(line);
    else if (hunks.at(-1) !== null) hunks.push(null);
  });
  return hunks;
}
