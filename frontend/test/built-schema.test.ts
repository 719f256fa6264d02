// The reduced schema of the built page answers the cache as the whole one.
import { expect, test } from 'vitest';
import { builtSchema, type CacheSchema } from '../built-schema.ts';
import whole from '../src/graphql/generated/schema.json';

interface Answers {
  kind: string;
  nullable: boolean;
  listNullable: boolean;
}

/** What the cache derives from the field of a type, as in its isFieldNullable and isListNullable. */
function answers(schema: CacheSchema, typeName: string, fieldName: string): Answers {
  const type = schema.__schema.types.find(({ name }) => name === typeName);
  const found = type?.fields?.find(({ name }) => name === fieldName)?.type;
  const list = found?.kind === 'NON_NULL' ? found.ofType : found;
  return {
    kind: type?.kind ?? '',
    nullable: found !== undefined && found.kind !== 'NON_NULL',
    listNullable: list?.kind === 'LIST' && list.ofType?.kind !== 'NON_NULL',
  };
}

test('the schema of the built page answers as the whole schema', () => {
  const schema = whole as unknown as CacheSchema;
  const built = builtSchema(schema);
  let nullable = 0;
  for (const { name, fields } of schema.__schema.types)
    for (const field of fields ?? []) {
      const wanted = answers(schema, name, field.name);
      expect(answers(built, name, field.name), `${name}.${field.name}`).toEqual(wanted);
      nullable += Number(wanted.nullable);
    }
  expect(nullable).toBeGreaterThan(100);
  const ids = (of: CacheSchema) =>
    of.__schema.types.filter(({ fields }) => fields?.some(({ name }) => name === 'id')).length;
  expect(ids(built)).toBe(ids(schema));
  expect(JSON.stringify(built).length).toBeLessThan(JSON.stringify(schema).length / 2);
});

test('elements of a list that may be null stay so', () => {
  const element = { kind: 'SCALAR', name: 'Any' };
  const fields = [
    { name: 'a', type: { kind: 'NON_NULL', ofType: { kind: 'LIST', ofType: element } }, args: [] },
    { name: 'b', type: { kind: 'LIST', ofType: { kind: 'NON_NULL', ofType: element } }, args: [] },
  ];
  const schema = { __schema: { types: [{ kind: 'OBJECT', name: 'T', fields }] } };
  for (const { name } of fields)
    expect(answers(builtSchema(schema), 'T', name)).toEqual(answers(schema, 'T', name));
});
