// A plugin of graphql-codegen: how long the texts of each input may be, in characters, from the schema's @length.
const { isInputObjectType } = require('graphql');

const lengthOf = (field) => {
  const length = field.astNode?.directives?.find((directive) => directive.name.value === 'length');
  const max = length?.arguments?.find((argument) => argument.name.value === 'max');
  return max && Number(max.value.value);
};

module.exports.plugin = (schema) =>
  Object.values(schema.getTypeMap())
    .filter(isInputObjectType)
    .map((type) => {
      const lengths = Object.values(type.getFields())
        .map((field) => [field.name, lengthOf(field)])
        .filter(([, length]) => length !== undefined);
      return lengths.length === 0
        ? ''
        : `export const ${type.name} = { ${lengths.map(([name, length]) => `${name}: ${length}`).join(', ')} } as const;\n`;
    })
    .join('');
