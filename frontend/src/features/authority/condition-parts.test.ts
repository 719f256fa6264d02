import { describe, expect, it } from 'vitest';
import {
  type Condition,
  conditionOf,
  conditionText,
  isComplete,
  names,
  newPart,
  type Part,
  relationsOf,
} from './condition-parts';

/** A complete part of every name and relation. expr/policy_forms_test.go compiles their texts. */
const person = '01890a5d-ac96-774b-bcce-b302099a8057';
function filled(name: (typeof names)[number], is: Part['is']): Part {
  const part = newPart(name, is);
  const text = name === 'submitter' || name === 'person' ? person : 'L"1';
  if ('values' in part) return { ...part, values: part.is.endsWith('Of') ? [text, text] : [text] };
  if ('numbers' in part) return { ...part, numbers: [1, -2] };
  if (part.name === 'level' || part.name === 'base_minor') return { ...part, value: -500 } as Part;
  return 'value' in part ? ({ ...part, value: 'manager' } as Part) : part;
}
const every = names.flatMap((name) => relationsOf(name).map((is) => filled(name, is)));

describe('a condition from scratch', () => {
  it.each(every.map((part) => [conditionText({ join: 'and', parts: [part] }), part] as const))(
    'is the same after it was written: %s',
    (text, part) => {
      expect(isComplete(part)).toBe(true);
      expect(conditionOf(text)).toEqual({ join: 'and', parts: [part] });
    },
  );
  it('joins all parts in both ways', () => {
    for (const join of ['and', 'or'] as const) {
      const condition: Condition = { join, parts: every };
      expect(conditionOf(conditionText(condition))).toEqual(condition);
    }
  });
  it('is incomplete until every value is entered', () => {
    for (const name of names)
      for (const is of relationsOf(name)) {
        const needsNothing = ['own', 'notOwn', 'true', 'false'].includes(is);
        expect(isComplete(newPart(name, is))).toBe(needsNothing);
      }
  });
  it('is not made of what a form cannot express', () => {
    for (const text of [
      'review.level > 1 && review.level < 3 || review.queue == "L2"',
      '!(review.queue == "L2")',
      '"L2" == review.queue',
      '(review.level > 1)',
      'review.queue == user.id',
      'review.level == "1"',
      'review.queue == 1',
      'review.queue < "a"',
      'review.queue in user.roles',
      'review.queue in ["a", 1]',
      'review.level in [1, 2',
      'user.limit_minor > 5',
      'review.country == "\\u0041"',
      '!(review.queue in user.queues',
      'review.queue in user.queues)',
      'review.base_minor <= 99999999999999999999',
    ])
      expect(conditionOf(text), text).toBeNull();
  });
});
