// The attribute of the submission that a branch compares, and the value: a choice if it has choices.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AttributeChoices, Comparison } from '../../../lib/guard';

/** A first comparison with the attribute. */
export const attributeComparison = (attribute: AttributeChoices | undefined): Comparison => ({
  fact: 'attribute',
  is: 'equal',
  name: attribute?.name ?? '',
  value: attribute?.choices[0] ?? '',
});

/** The attribute of the submission and the value that it is compared with. */
export function AttributeOperand({
  comparison,
  attributes,
  onChange,
}: {
  comparison: Extract<Comparison, { name: string }>;
  attributes: readonly AttributeChoices[];
  onChange: (next: Comparison) => void;
}) {
  const { t, i18n } = useTranslation();
  const { name, value } = comparison;
  const chosen = attributes.find((one) => one.name === name);
  const names = [...new Set([...attributes.map((one) => one.name), name])];
  const labelOf = (key: string) => {
    const labels = attributes.find((one) => one.name === key)?.labels;
    return (i18n.language === 'zh' ? labels?.zh : '') || labels?.en || key;
  };
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('design.guard.attribute')}
        value={name}
        data={names.map((key) => ({ value: key, label: labelOf(key) }))}
        onChange={(event) => {
          const next = attributes.find((one) => one.name === event.currentTarget.value);
          onChange({ ...attributeComparison(next), is: comparison.is } as Comparison);
        }}
      />
      {chosen && chosen.choices.length > 0 ? (
        <NativeSelect
          size="xs"
          aria-label={t('design.guard.value')}
          value={value}
          data={[...new Set([...chosen.choices, value])]}
          onChange={(event) => onChange({ ...comparison, value: event.currentTarget.value })}
        />
      ) : (
        <TextInput
          size="xs"
          w={120}
          aria-label={t('design.guard.value')}
          value={value}
          onChange={(event) => onChange({ ...comparison, value: event.currentTarget.value })}
        />
      )}
    </>
  );
}
