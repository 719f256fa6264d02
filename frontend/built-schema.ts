// The schema that the built page carries for its cache. The cache asks three things of it: whether a field
// or an element of a list may be null, which type implements what, and, in client.ts, whether a type has an
// id. In development it also says which fields exist, to warn about others.

interface TypeRef {
  kind: string;
  name?: string;
  ofType?: TypeRef;
}

interface Field {
  name: string;
  type: TypeRef;
  args: unknown[];
}

export interface CacheSchema {
  __schema: { types: { kind: string; name: string; fields?: Field[]; interfaces?: unknown[] }[] };
}

const scalar = { kind: 'SCALAR' };
const required = (type: TypeRef) => ({ kind: 'NON_NULL', ofType: type });

const unwrapped = (type: TypeRef): TypeRef => (type.kind === 'NON_NULL' && type.ofType) || type;

/** Whether elements of the list may be null. */
const hasNullableElements = (type: TypeRef): boolean =>
  unwrapped(type).kind === 'LIST' && unwrapped(type).ofType?.kind !== 'NON_NULL';

/** The same type to the cache, without the names of types. */
function reduced(type: TypeRef): TypeRef {
  const elements = hasNullableElements(type) ? scalar : required(scalar);
  const plain = unwrapped(type).kind === 'LIST' ? { kind: 'LIST', ofType: elements } : scalar;
  return type.kind === 'NON_NULL' ? required(plain) : plain;
}

/**
 * Leaves out fields that are never null, because the cache takes a missing field as one of these, and empty lists
 * of interfaces, which it takes as missing ones.
 */
export function builtSchema(schema: CacheSchema): CacheSchema {
  const types = schema.__schema.types.map(({ fields, interfaces, ...type }) => ({
    ...type,
    ...(interfaces && interfaces.length > 0 && { interfaces }),
    ...(fields && {
      fields: fields
        .filter(
          ({ name, type: of }) =>
            name === 'id' || of.kind !== 'NON_NULL' || hasNullableElements(of),
        )
        .map((field) => ({ ...field, type: reduced(field.type) })),
    }),
  }));
  return { __schema: { ...schema.__schema, types } };
}
