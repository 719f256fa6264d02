// Queries of the same list share its entry in the cache. One that leaves out the ids of its objects takes from the
// others what they have read, and each reads again and again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildClientSchema,
  getNamedType,
  isObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../src/graphql/generated');
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));

const schema = buildClientSchema(read('schema.json'));

/** The lists in a document whose objects have an id that it leaves out. Fragments are taken to have it. */
function listsWithoutIds(text: string): string[] {
  const types = new TypeInfo(schema);
  const found: string[] = [];
  visit(
    parse(text),
    visitWithTypeInfo(types, {
      enter: (node) => {
        const type = getNamedType(types.getType());
        if (node.kind !== 'Field' || node.name.value !== 'nodes') return;
        const selections = node.selectionSet?.selections ?? [];
        const has = selections.some((one) => one.kind !== 'Field' || one.name.value === 'id');
        if (isObjectType(type) && type.getFields().id && !has)
          found.push(`${types.getParentType()?.name} in ${text.slice(0, 60)}`);
      },
    }),
  );
  return found;
}

test('nodes of lists have an id in every query', () => {
  expect(listsWithoutIds('{ controlChanges(first: 1) { nodes { subject } } }')).toHaveLength(1);
  const documents = Object.values<string>(read('persisted-documents.json'));
  expect(documents.length).toBeGreaterThan(100);
  expect(documents.flatMap(listsWithoutIds)).toEqual([]);
});
