// The attributes that a process asks for, as typed inputs.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { attributeFault, attributeLabel, type DeclaredAttribute } from '../../lib/attributes';
import { refusalMessage } from '../../lib/labels';
import type { Refusal } from '../../lib/refusals';

interface AttributeFieldsProps {
  title: string;
  declared: readonly DeclaredAttribute[];
  values: Readonly<Record<string, string>>;
  /** What the server refused, by the name of the attribute. */
  refused?: Readonly<Record<string, Refusal>>;
  onChange: (values: Record<string, string>) => void;
}

export function AttributeFields(props: AttributeFieldsProps) {
  const { title, declared, values, refused, onChange } = props;
  if (declared.length === 0) return null;
  return (
    <fieldset className="cs-attributes">
      <legend>{title}</legend>
      <div className="cs-attribute-fields">
        {declared.map((one) => (
          <AttributeField
            key={one.name}
            declared={one}
            value={values[one.name] ?? ''}
            refusal={refused?.[one.name]}
            onChange={(value) => onChange({ ...values, [one.name]: value })}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface AttributeFieldProps {
  declared: DeclaredAttribute;
  value: string;
  refusal: Refusal | undefined;
  onChange: (value: string) => void;
}

function AttributeField({ declared, value, refusal, onChange }: AttributeFieldProps) {
  const { t, i18n } = useTranslation();
  const { name, type, required, maxLength, currency } = declared;
  const label = attributeLabel(declared.labels, i18n.language, name);
  const fault = attributeFault(declared, value);
  const options = optionsOf(declared, i18n.language, (key) => t(`attributes.${key}`));
  const error =
    fault !== null && fault !== 'missing'
      ? t(`attributes.form.faults.${fault}`, { most: maxLength ?? 0 })
      : refusal && refusalMessage(t, i18n.language, refusal);
  const common = { label: currency ? `${label} (${currency})` : label, required, error };
  if (options) {
    return (
      <NativeSelect
        {...common}
        value={value}
        data={[{ value: '', label: t('attributes.form.choose') }, ...options]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...common}
      type={type === 'DATE' ? 'date' : 'text'}
      inputMode={type === 'MONEY' ? 'decimal' : type === 'INTEGER' ? 'numeric' : undefined}
      maxLength={Math.min(maxLength ?? 40, 500)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The values of an attribute that has few; null for others. */
function optionsOf(
  { type, choices }: DeclaredAttribute,
  language: string,
  word: (key: 'yes' | 'no') => string,
): { value: string; label: string }[] | null {
  if (type === 'YES_NO')
    return [
      { value: 'true', label: word('yes') },
      { value: 'false', label: word('no') },
    ];
  if (type !== 'CHOICE') return null;
  return choices.map(({ key, labels }) => ({
    value: key,
    label: attributeLabel(labels, language, key),
  }));
}
