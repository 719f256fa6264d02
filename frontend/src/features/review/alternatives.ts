// The other values of a field that a reviewer can choose: those of other sources, and what another
// engine read in the same place.
import type { AssertedValue } from '../../lib/differences';
import type { Area, PageWord } from '../../ui/pages/words';
import { joined, wordsIn } from '../../ui/pages/words';

/** A word of a page, and what another engine read there. */
export interface ReadWord extends PageWord {
  alternative: string;
}

export interface Alternative {
  value: string;
  /** Who stated it; null for another engine. */
  stated: AssertedValue | null;
}

/** How many are shown at first. More would be a list to read instead of a choice. */
export const maxAlternatives = 5;

const documentSources = new Set(['OCR', 'TEXT', 'XML', 'LLM']);

/** What the other engine read in the box; null if it read the same. */
export function otherReading(words: readonly ReadWord[], box: Area): string | null {
  const inside = wordsIn(words, box);
  if (!inside.some(({ alternative }) => alternative !== '')) return null;
  return joined(
    inside.map(({ text, alternative, box: place }) => ({ text: alternative || text, box: place })),
  );
}

/**
 * The other values, the newest statements first, then the other engine. A value that was read from an
 * earlier revision belongs to another document; a suggestion of a model is shown apart. What is no value of
 * the field's type is not offered.
 */
export function alternativesOf(
  current: string,
  history: readonly AssertedValue[],
  revision: number,
  other: string | null,
  isValue: (text: string) => boolean = () => true,
): Alternative[] {
  const found: Alternative[] = [];
  const offer = (value: string, stated: AssertedValue | null) => {
    if (
      value === '' ||
      !isValue(value) ||
      value === current ||
      found.some((one) => one.value === value)
    )
      return;
    found.push({ value, stated });
  };
  for (const asserted of [...history].reverse()) {
    const old = documentSources.has(asserted.source) && asserted.documentRevision !== revision;
    if (!old && !asserted.suggestion) offer(asserted.value, asserted);
  }
  if (other !== null) offer(other, null);
  return found;
}

/**
 * The values that choosing an alternative enters: a total with the currency that its page states, if that
 * is another one. Otherwise the total would be an amount that no document states.
 */
export function chosenValues(
  field: string,
  { value, stated }: Alternative,
  currency: string | null,
): readonly { name: string; value: string }[] {
  const entered = [{ name: field, value }];
  const own = stated?.currency ?? null;
  if (field === 'total' && own !== null && own !== currency)
    entered.push({ name: 'currency', value: own });
  return entered;
}
