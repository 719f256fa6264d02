// What a text changes in the rules of a set, attribute by attribute.
import { type ChangedPart, differencesOf } from '../changed-parts';
import { textOf } from '../design/design';
import { type RuleEntry, type RuleTexts, readRules } from './rules';

export type RuleChange =
  | { kind: 'header'; id: ''; parts: ChangedPart[] }
  | { kind: 'added' | 'removed' | 'moved'; id: string; rule: RuleEntry }
  | { kind: 'changed'; id: string; rule: RuleEntry; parts: ChangedPart[] };

/**
 * The changes from one text to another, in the order of the rules. null if a text cannot be read, or
 * if an id occurs twice: then only the texts themselves say what changes.
 */
export function changesOfRules(before: string, after: string): RuleChange[] | null {
  const [old, present] = [readRules(before), readRules(after)];
  if (!('set' in old) || !('set' in present)) return null;
  const [was, is] = [byId(old.set), byId(present.set)];
  if (!was || !is) return null;
  const header = differencesOf(old.set.header, present.set.header).filter(
    ({ path }) => path !== 'version',
  );
  const moved = movedRules(old.set, present.set);
  return [
    ...(header.length > 0 ? [{ kind: 'header' as const, id: '' as const, parts: header }] : []),
    ...present.set.rules.flatMap((rule): RuleChange[] => {
      const earlier = was.get(rule.id);
      if (!earlier) return [{ kind: 'added', id: rule.id, rule }];
      const parts = [
        ...differencesOf(earlier.attributes, rule.attributes),
        ...changedDefault(earlier, rule),
      ];
      return [
        ...(moved.has(rule.id) ? [{ kind: 'moved' as const, id: rule.id, rule }] : []),
        ...(parts.length > 0 ? [{ kind: 'changed' as const, id: rule.id, rule, parts }] : []),
      ];
    }),
    ...old.set.rules.flatMap((rule): RuleChange[] =>
      is.has(rule.id) ? [] : [{ kind: 'removed', id: rule.id, rule }],
    ),
  ];
}

/** What an approval needs if the rule states nothing: a reason if the finding is blocking. */
export function overrideOf({ attributes }: RuleEntry): string {
  return textOf(attributes.override) || (attributes.severity === 'blocking' ? 'reason' : 'none');
}

/** A change of the severity may change what an approval needs, although the text does not state it. */
function changedDefault(before: RuleEntry, after: RuleEntry): ChangedPart[] {
  if (before.attributes.override !== after.attributes.override) return [];
  const [was, is] = [overrideOf(before), overrideOf(after)];
  return was === is ? [] : [{ path: 'override', before: was, after: is }];
}

function byId({ rules }: RuleTexts): Map<string, RuleEntry> | null {
  const found = new Map(rules.map((rule) => [rule.id, rule]));
  return found.size === rules.length ? found : null;
}

/** The fewest rules whose moves explain the new order: those that are outside of a longest common order. */
function movedRules(old: RuleTexts, present: RuleTexts): Set<string> {
  const positions = new Map(old.rules.map(({ id, index }) => [id, index]));
  const kept = present.rules.flatMap(({ id }) => {
    const position = positions.get(id);
    return position === undefined ? [] : [{ id, position }];
  });
  const best: { length: number; previous: number }[] = [];
  for (const [at, { position }] of kept.entries()) {
    let found = { length: 1, previous: -1 };
    for (let earlier = 0; earlier < at; earlier++) {
      const length = (best[earlier]?.length ?? 0) + 1;
      if ((kept[earlier]?.position ?? 0) < position && length > found.length)
        found = { length, previous: earlier };
    }
    best.push(found);
  }
  const moved = new Set(kept.map(({ id }) => id));
  let at = best.reduce(
    (longest, { length }, index) => (length > (best[longest]?.length ?? 0) ? index : longest),
    0,
  );
  while (at >= 0) {
    moved.delete(kept[at]?.id ?? '');
    at = best[at]?.previous ?? -1;
  }
  return moved;
}
