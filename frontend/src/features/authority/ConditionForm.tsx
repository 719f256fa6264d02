// The comparisons of a condition of the policy, made and changed by fields.
import { Button, Group, MultiSelect, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { documentTypeLabels } from '../../lib/labels';
import { amountText, minorUnits } from '../../lib/minor-units';
import { baseCurrency } from '../../lib/money';
import classes from './authority.module.css';
import {
  type Condition,
  isComplete,
  type Name,
  names,
  newPart,
  type Part,
  relationsOf,
} from './condition-parts';

/** What the values of conditions are chosen from. */
export interface Vocabulary {
  types: readonly string[];
  roles: readonly string[];
  /** Whether the condition is about a case, of which fewer facts are known. */
  ofCase: boolean;
}

const caseNames: readonly Name[] = [
  ...(['document_type', 'country', 'base_minor', 'amount_known', 'submitter'] as const),
  ...(['person', 'roles', 'queues'] as const),
];
const statuses = ['open', 'claimed', 'decided'];

interface ConditionFormProps {
  condition: Condition;
  vocabulary: Vocabulary;
  /** Names the object whose condition it is. */
  label: string;
  onChange: (condition: Condition) => void;
}

export function ConditionForm({ condition, vocabulary, label, onChange }: ConditionFormProps) {
  const { t } = useTranslation();
  const { join, parts } = condition;
  const withPart = (at: number, part: Part) =>
    onChange({ join, parts: parts.map((one, index) => (index === at ? part : one)) });
  return (
    <fieldset className={classes.condition}>
      <legend className="cs-visually-hidden">{t('authority.form.of', { object: label })}</legend>
      <Stack gap="xs">
        {parts.length > 1 && (
          <NativeSelect
            label={t('authority.form.join')}
            value={join}
            onChange={({ currentTarget: { value } }) =>
              onChange({ join: value === 'or' ? 'or' : 'and', parts })
            }
            data={(['and', 'or'] as const).map((one) => ({
              value: one,
              label: t(`authority.form.joins.${one}`),
            }))}
          />
        )}
        {parts.map((part, at) => (
          <PartFields
            // biome-ignore lint/suspicious/noArrayIndexKey: comparisons have no identity but their place
            key={`${at} ${parts.length}`}
            part={part}
            number={at + 1}
            vocabulary={vocabulary}
            onChange={(changed) => withPart(at, changed)}
            onRemove={
              parts.length > 1
                ? () => onChange({ join, parts: parts.filter((_, index) => index !== at) })
                : null
            }
          />
        ))}
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() =>
              onChange({
                join,
                parts: [...parts, newPart(vocabulary.ofCase ? 'country' : 'queue')],
              })
            }
          >
            {t('authority.form.add')}
          </Button>
        </Group>
      </Stack>
    </fieldset>
  );
}

interface PartFieldsProps {
  part: Part;
  number: number;
  vocabulary: Vocabulary;
  onChange: (part: Part) => void;
  onRemove: (() => void) | null;
}

function PartFields({ part, number, vocabulary, onChange, onRemove }: PartFieldsProps) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" align="flex-end" className={classes.part}>
      <NativeSelect
        label={t('authority.form.fact', { number })}
        value={part.name}
        onChange={({ currentTarget: { value } }) => onChange(newPart(value as Name))}
        data={names
          .filter((name) => !vocabulary.ofCase || caseNames.includes(name))
          .map((name) => ({ value: name, label: t(`authority.matrix.name.${name}`) }))}
      />
      <NativeSelect
        label={t('authority.form.relation', { number })}
        value={part.is}
        onChange={({ currentTarget: { value } }) =>
          onChange(withRelation(part, value as Part['is']))
        }
        data={relationsOf(part.name).map((is) => ({
          value: is,
          label:
            is === 'own' || is === 'notOwn'
              ? t(`authority.form.is.${is}`, {
                  own: t(`authority.matrix.own.${part.name === 'queue' ? 'queue' : 'submitter'}`),
                })
              : t(`authority.form.is.${is}`),
        }))}
      />
      <ValueField
        key={`${part.name} ${part.is}`}
        part={part}
        number={number}
        vocabulary={vocabulary}
        onChange={onChange}
      />
      {onRemove && (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={t('authority.form.removeOf', { number })}
          onClick={onRemove}
        >
          {t('authority.form.remove')}
        </Button>
      )}
    </Group>
  );
}

/** The part with another relation, with its value if that has the same kind. */
function withRelation(part: Part, is: Part['is']): Part {
  const changed = newPart(part.name, is);
  if ('values' in changed && 'values' in part)
    return {
      ...changed,
      values: changed.is.endsWith('Of') ? part.values : part.values.slice(0, 1),
    };
  if ('numbers' in changed && 'value' in part && typeof part.value === 'number')
    return { ...changed, numbers: [part.value] };
  if ('value' in changed && 'value' in part) return { ...changed, value: part.value } as Part;
  return changed;
}

function ValueField({ part, number, vocabulary, onChange }: Omit<PartFieldsProps, 'onRemove'>) {
  const { t } = useTranslation();
  const label = t(part.name === 'base_minor' ? 'authority.form.amount' : 'authority.form.value', {
    number,
    currency: baseCurrency,
  });
  if ('value' in part && typeof part.value === 'string') {
    const known = part.name === 'roles' ? vocabulary.roles : [];
    const { value } = part;
    return (
      <ChoiceField
        label={label}
        value={value}
        known={known}
        onChange={(chosen) => onChange({ ...part, value: chosen } as Part)}
      />
    );
  }
  if ('value' in part && (part.name === 'level' || part.name === 'base_minor'))
    return <NumbersField label={label} part={part} onChange={onChange} />;
  if ('numbers' in part) return <NumbersField label={label} part={part} onChange={onChange} />;
  if (!('values' in part)) return null;
  const known =
    part.name === 'document_type' ? vocabulary.types : part.name === 'status' ? statuses : [];
  const several = part.is === 'oneOf' || part.is === 'noneOf';
  if (several && known.length > 0) {
    const all = [...new Set([...known, ...part.values])];
    return (
      <MultiSelect
        label={label}
        value={part.values}
        onChange={(values) => onChange({ ...part, values })}
        data={all.map((one) => ({
          value: one,
          label: part.name === 'document_type' ? documentTypeLabels(t, [one]) : one,
        }))}
      />
    );
  }
  if (several) return <TextsField label={label} part={part} onChange={onChange} />;
  return (
    <ChoiceField
      label={label}
      value={part.values[0] ?? ''}
      known={known}
      ofTypes={part.name === 'document_type'}
      onChange={(value) => onChange({ ...part, values: value === '' ? [] : [value] })}
    />
  );
}

interface ChoiceFieldProps {
  label: string;
  value: string;
  /** The values to choose from; none for a text. */
  known: readonly string[];
  ofTypes?: boolean;
  onChange: (value: string) => void;
}

function ChoiceField({ label, value, known, ofTypes = false, onChange }: ChoiceFieldProps) {
  const { t } = useTranslation();
  if (known.length === 0)
    return (
      <TextInput
        label={label}
        value={value}
        maxLength={100}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    );
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: t('authority.form.choose') },
        ...[...new Set(value === '' ? known : [...known, value])].map((one) => ({
          value: one,
          label: ofTypes ? documentTypeLabels(t, [one]) : one,
        })),
      ]}
    />
  );
}

type NumbersPart = Extract<Part, { numbers: number[] } | { value: number }>;

/** Numbers, or amounts of the base currency; several are separated by spaces. */
function NumbersField({
  label,
  part,
  onChange,
}: {
  label: string;
  part: NumbersPart;
  onChange: (part: Part) => void;
}) {
  const { t } = useTranslation();
  const numbers = 'numbers' in part ? part.numbers : [part.value];
  const shown = (value: number) => (part.name === 'base_minor' ? amountText(value) : String(value));
  const [text, setText] = useState(() =>
    numbers
      .filter((value) => Number.isSafeInteger(value))
      .map(shown)
      .join(' '),
  );
  const read = (one: string) => {
    const sign = one.startsWith('-') ? -1 : 1;
    const plain = one.replace(/^-/, '');
    const value = part.name === 'base_minor' ? minorUnits(plain) : minorUnits(plain, 0);
    return value === null ? Number.NaN : sign * value;
  };
  const change = (entered: string) => {
    setText(entered);
    const found = entered.trim() === '' ? [] : entered.trim().split(/\s+/).map(read);
    onChange(
      'numbers' in part
        ? { ...part, numbers: found }
        : { ...part, value: found.length === 1 ? (found[0] ?? Number.NaN) : Number.NaN },
    );
  };
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      value={text}
      maxLength={200}
      error={text !== '' && !isComplete(part) ? t('authority.form.number') : null}
      {...('numbers' in part && { description: t('authority.form.several') })}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

function TextsField({
  label,
  part,
  onChange,
}: {
  label: string;
  part: Extract<Part, { values: string[] }>;
  onChange: (part: Part) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => part.values.join(' '));
  return (
    <TextInput
      label={label}
      description={t('authority.form.several')}
      value={text}
      maxLength={1000}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        onChange({ ...part, values: value.split(/\s+/).filter((one) => one !== '') });
      }}
    />
  );
}
