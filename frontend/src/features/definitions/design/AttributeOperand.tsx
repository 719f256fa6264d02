// The attribute of the submission that a branch compares, and the value, in the form of its type.
import { MultiSelect, NativeSelect, NumberInput, TagsInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { attributeLabel, type DeclaredAttribute } from '../../../lib/attributes';
import { dayOf } from '../../../lib/days';
import type { AttributeComparison } from '../../../lib/guard-attribute';
import { MoneyField } from './Field';

/** A first comparison with the attribute. */
export function attributeComparison(attribute: DeclaredAttribute | undefined): AttributeComparison {
  const fact = 'attribute';
  const name = attribute?.name ?? '';
  switch (attribute?.type) {
    case 'INTEGER':
    case 'MONEY':
      return { fact, is: 'atLeast', name, value: 100_000 };
    case 'DATE':
      return { fact, is: 'from', name, value: dayOf(new Date()) };
    case 'YES_NO':
      return { fact, is: 'true', name };
    default:
      return { fact, is: 'equal', name, value: attribute?.choices[0]?.key ?? '' };
  }
}

const numberRelations = ['atLeast', 'below', 'equalNumber', 'differentNumber'] as const;
const dayRelations = ['from', 'before', 'beforeOrUnstated'] as const;
const textRelations = ['equal', 'different'] as const;
const listRelations = ['equal', 'different', 'oneOf', 'noneOf'] as const;

/** The relations of the type of the attribute; of one that is not declared, those of the value. */
export function attributeRelations(
  one: AttributeComparison,
  attribute: DeclaredAttribute | undefined,
): readonly AttributeComparison['is'][] {
  if ('values' in one) return listRelations;
  if (!('value' in one)) return ['true', 'false'];
  if (typeof one.value === 'number') return numberRelations;
  if (attribute?.type !== 'DATE')
    return (dayRelations as readonly string[]).includes(one.is) ? dayRelations : listRelations;
  // Only one that need not be stated can be before every day.
  const days = dayRelations.filter(
    (is) => is !== 'beforeOrUnstated' || !attribute.required || one.is === is,
  );
  return [...days, ...textRelations];
}

/** The comparison with another relation of the same type. */
export function withRelation(one: AttributeComparison, is: string): AttributeComparison {
  const isDay = (dayRelations as readonly string[]).includes(is);
  const isList = is === 'oneOf' || is === 'noneOf';
  if ('values' in one)
    return isList
      ? { ...one, is }
      : ({ fact: one.fact, is, name: one.name, value: one.values[0] ?? '' } as AttributeComparison);
  if (isList && 'value' in one)
    return { fact: one.fact, is, name: one.name, values: [String(one.value)] };
  // No day is compared with a value that is no day.
  if (isDay && 'value' in one && one.value === '') return attributeDay(one.name, is);
  return { ...one, is } as AttributeComparison;
}

const attributeDay = (name: string, is: string) =>
  ({ fact: 'attribute', is, name, value: dayOf(new Date()) }) as AttributeComparison;

interface AttributeOperandProps {
  comparison: AttributeComparison;
  attributes: readonly DeclaredAttribute[];
  onChange: (next: AttributeComparison) => void;
}

/** The attribute of the submission and the value that it is compared with. */
export function AttributeOperand({ comparison, attributes, onChange }: AttributeOperandProps) {
  const { t, i18n } = useTranslation();
  const { name } = comparison;
  const names = [...new Set([...attributes.map((one) => one.name), name])];
  const labelOf = (key: string) =>
    attributeLabel(attributes.find((one) => one.name === key)?.labels ?? [], i18n.language, key);
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('design.guard.attribute')}
        value={name}
        data={names.map((key) => ({ value: key, label: labelOf(key) }))}
        onChange={(event) =>
          onChange(
            attributeComparison(attributes.find((one) => one.name === event.currentTarget.value)),
          )
        }
      />
      <Value {...{ comparison, attributes, onChange }} />
    </>
  );
}

function Value({ comparison, attributes, onChange }: AttributeOperandProps) {
  const { t, i18n } = useTranslation();
  const attribute = attributes.find((one) => one.name === comparison.name);
  if ('values' in comparison) return <Values {...{ comparison, attribute, onChange }} />;
  if (!('value' in comparison)) return null;
  const set = (value: string | number) => onChange({ ...comparison, value } as AttributeComparison);
  const common = { size: 'xs', 'aria-label': t('design.guard.value') } as const;
  if (typeof comparison.value === 'number') {
    const currency = attribute?.currency;
    return currency ? (
      <MoneyField
        label={t('design.guard.amount', { currency })}
        currency={currency}
        value={comparison.value}
        onChange={(value) => set(Number(value ?? 0))}
      />
    ) : (
      <NumberInput
        {...common}
        value={comparison.value}
        allowDecimal={false}
        w={120}
        onChange={(value) => Number.isSafeInteger(value) && set(value)}
      />
    );
  }
  const isDay = attribute?.type === 'DATE' && !['equal', 'different'].includes(comparison.is);
  if (isDay || (dayRelations as readonly string[]).includes(comparison.is))
    return (
      <TextInput
        {...common}
        type="date"
        w={150}
        value={comparison.value}
        // A day that is not complete yet does not replace the one in the text.
        onChange={(event) => event.currentTarget.value !== '' && set(event.currentTarget.value)}
      />
    );
  if (attribute?.type === 'CHOICE')
    return (
      <NativeSelect
        {...common}
        value={comparison.value}
        data={choiceOptions(
          attribute,
          [comparison.value],
          i18n.language,
          t('design.guard.unstated'),
        )}
        onChange={(event) => set(event.currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...common}
      type={attribute?.type === 'DATE' ? 'date' : 'text'}
      w={attribute?.type === 'DATE' ? 150 : 120}
      value={comparison.value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

interface ValuesProps {
  comparison: Extract<AttributeComparison, { is: 'oneOf' | 'noneOf' }>;
  attribute: DeclaredAttribute | undefined;
  onChange: (next: AttributeComparison) => void;
}

/** The values of a list: choices of the attribute if it has some, otherwise texts. */
function Values({ comparison, attribute, onChange }: ValuesProps) {
  const { t, i18n } = useTranslation();
  const common = {
    size: 'xs' as const,
    'aria-label': t('design.guard.values'),
    value: [...comparison.values],
    // Without a value there is no condition, so the last one stays.
    onChange: (values: string[]) => values.length > 0 && onChange({ ...comparison, values }),
  };
  if (attribute?.type !== 'CHOICE') return <TagsInput {...common} acceptValueOnBlur />;
  const unstated = t('design.guard.unstated');
  return (
    <MultiSelect
      {...common}
      miw={160}
      data={choiceOptions(attribute, comparison.values, i18n.language, unstated)}
    />
  );
}

/** The choices, and that none is stated if it need not be; a value that is none of them stays. */
function choiceOptions(
  { choices, required }: DeclaredAttribute,
  present: readonly string[],
  language: string,
  unstated: string,
): { value: string; label: string }[] {
  const keys = [
    ...new Set([...choices.map(({ key }) => key), ...(required ? [] : ['']), ...present]),
  ];
  return keys.map((key) => ({
    value: key,
    label:
      key === ''
        ? unstated
        : attributeLabel(choices.find((one) => one.key === key)?.labels ?? [], language, key),
  }));
}
