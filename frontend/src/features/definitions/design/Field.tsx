// One attribute of a node: its label, its present value or the usual one, and the input of its type.
import { Checkbox, Group, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { amountText, digitsOf, minorUnits } from '../../../lib/minor-units';
import { baseCurrency, groupedAmount } from '../../../lib/money';
import { textOf } from './design';
import { durationOf, durationText, type Unit, units } from './duration';
import { type FieldSpec, fieldKey } from './fields';

interface FieldProps {
  spec: FieldSpec;
  /** The value in the text; undefined if there is none. */
  value: unknown;
  queues: readonly string[];
  /** undefined removes the attribute. */
  onChange: (value: string | number | boolean | undefined) => void;
}

export function Field(props: FieldProps) {
  const { t } = useTranslation();
  const { spec, value, queues, onChange } = props;
  const label = t(`design.field.${fieldKey(spec)}` as 'design.field.queue', {
    currency: baseCurrency,
  });
  const usual = spec.usual === undefined ? '' : String(spec.usual);
  switch (spec.type) {
    case 'number':
      return (
        <NumberInput
          size="sm"
          label={label}
          value={typeof value === 'number' ? value : ''}
          placeholder={usual}
          min={spec.min ?? 0}
          max={spec.max ?? 999}
          allowDecimal={false}
          onChange={(next) => onChange(typeof next === 'number' ? next : undefined)}
        />
      );
    case 'duration':
      return (
        <DurationField label={label} value={textOf(value)} usual={usual} onChange={onChange} />
      );
    case 'money':
      return <MoneyField label={label} value={value} onChange={onChange} />;
    case 'choice':
      return <Choice label={label} spec={spec} value={textOf(value)} onChange={onChange} />;
    case 'queue':
      return <QueueField {...{ label, spec, value, queues, onChange }} />;
    case 'switch':
      return (
        <Checkbox
          label={label}
          checked={(value ?? spec.usual === 'true') !== false}
          onChange={(event) =>
            onChange(
              event.currentTarget.checked === (spec.usual === 'true')
                ? undefined
                : event.currentTarget.checked,
            )
          }
        />
      );
    default:
      return (
        <TextInput
          size="sm"
          label={label}
          value={textOf(value)}
          placeholder={usual}
          onChange={(event) =>
            onChange(
              event.currentTarget.value === '' && !spec.required
                ? undefined
                : event.currentTarget.value,
            )
          }
        />
      );
  }
}

function Choice({
  label,
  spec,
  value,
  onChange,
}: {
  label: string;
  spec: FieldSpec;
  value: string;
  onChange: FieldProps['onChange'];
}) {
  const { t } = useTranslation();
  const choices = spec.choices ?? [];
  const shown = value === '' ? String(spec.usual ?? '') : value;
  // A value that the form does not know stays as it is.
  const all = choices.includes(shown) ? choices : [shown, ...choices];
  return (
    <NativeSelect
      size="sm"
      label={label}
      value={shown}
      data={all.map((choice) => ({
        value: choice,
        label: t(`design.choice.${choice === '' ? 'none' : choice}` as 'design.choice.none', {
          defaultValue: choice,
        }),
      }))}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        onChange(chosen === '' || chosen === spec.usual ? undefined : chosen);
      }}
    />
  );
}

/**
 * The queue of a review, or the one that a review is escalated to: '' in the text forbids it. A committee
 * without a queue of the chair or of the veto has neither.
 */
function QueueField({
  label,
  spec,
  value,
  queues,
  onChange,
}: {
  label: string;
  spec: FieldSpec;
  value: unknown;
  queues: readonly string[];
  onChange: FieldProps['onChange'];
}) {
  const { t } = useTranslation();
  const present = textOf(value);
  const all = [...new Set([...queues, ...(present ? [present] : [])])].sort();
  const escalates = !spec.required && !spec.ofCommittee;
  const usual = !spec.required && {
    value: '*',
    label: t(spec.ofCommittee ? 'design.choice.none' : 'design.escalateUsual'),
  };
  const none = escalates && { value: '', label: t('design.escalateNone') };
  return (
    <NativeSelect
      size="sm"
      label={label}
      value={value === undefined && usual ? '*' : present}
      data={[
        ...(usual ? [usual] : []),
        ...(none ? [none] : []),
        ...all.map((queue) => ({ value: queue, label: queue })),
      ]}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        onChange(chosen === '*' ? undefined : chosen);
      }}
    />
  );
}

interface TextProps {
  label: string;
  onChange: FieldProps['onChange'];
}

export function DurationField({
  label,
  value,
  usual,
  onChange,
}: TextProps & { value: string; usual: string }) {
  const { t } = useTranslation();
  const present = durationOf(value);
  const [unit, setUnit] = useState<Unit>(present?.unit ?? durationOf(usual)?.unit ?? 'h');
  if (value !== '' && !present)
    return (
      <TextInput
        size="sm"
        label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  const shown = present && present.unit === unit ? present.count : (inUnit(value, unit) ?? '');
  return (
    <Group gap={6} align="end" wrap="nowrap">
      <NumberInput
        size="sm"
        label={label}
        value={shown}
        placeholder={usual === '' ? '' : String(inUnit(usual, unit) ?? '')}
        min={0}
        allowDecimal={false}
        style={{ flex: 1 }}
        onChange={(next) =>
          onChange(typeof next === 'number' ? durationText(next, unit) : undefined)
        }
      />
      <NativeSelect
        size="sm"
        aria-label={t('design.unitOf', { label })}
        value={unit}
        data={units.map((one) => ({ value: one, label: t(`design.unit.${one}`) }))}
        onChange={(event) => {
          const chosen = event.currentTarget.value as Unit;
          setUnit(chosen);
          if (typeof shown === 'number') onChange(durationText(shown, chosen));
        }}
      />
    </Group>
  );
}

/** The duration in the unit, if it is a whole number of it. */
function inUnit(text: string, unit: Unit): number | null {
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 };
  const duration = durationOf(text);
  if (!duration) return null;
  const count = (duration.count * seconds[duration.unit]) / seconds[unit];
  return Number.isInteger(count) ? count : null;
}

/** An amount in minor units, as people write it. `currency` is its currency. */
export function MoneyField({
  label,
  value,
  currency = baseCurrency,
  onChange,
}: TextProps & { value: unknown; currency?: string }) {
  const { t, i18n } = useTranslation();
  const digits = digitsOf(currency) ?? 2;
  const present =
    typeof value === 'number' ? groupedAmount(amountText(value, digits), i18n.language) : '';
  const [typed, setTyped] = useState<string | null>(null);
  const invalid = typed !== null && typed.trim() !== '' && minorUnits(typed, digits) === null;
  return (
    <TextInput
      size="sm"
      label={label}
      inputMode="decimal"
      value={typed ?? present}
      error={invalid && t('design.notAnAmount')}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const minor = minorUnits(text, digits);
        if (text.trim() === '') onChange(undefined);
        else if (minor !== null) onChange(minor);
      }}
      // A wrong amount stays visible; a right one is shown with its separators.
      onBlur={() => !invalid && setTyped(null)}
    />
  );
}
