// A form to enter the fields that the extraction did not find.
import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldInput as bounds } from '../../graphql/generated/bounds';
import type { FieldInput } from '../../graphql/generated/graphql';
import { choicesOf, labelIn } from '../../lib/field-labels';
import { refusalMessage } from '../../lib/labels';
import type { Refusal } from '../../lib/refusals';
import { ChangedMeanwhile } from '../../ui/ChangedMeanwhile';
import classes from './case.module.css';
import { FormActions } from './forms';

interface FieldLine {
  name: string;
  type: string;
  required: boolean;
  labels: readonly { name: string; value: string }[];
  maxLength: number;
  options: readonly {
    value: string;
    labels: readonly { name: string; value: string }[];
  }[];
  field?: { raw: string; normalised: string } | null;
}

interface EnterFieldsFormProps {
  form: readonly FieldLine[];
  refusals: readonly Refusal[];
  busy: boolean;
  /** Nothing can be sent any more; what was typed is still shown. */
  closed?: boolean;
  onBack: () => void;
  onSend: (fields: FieldInput[]) => void;
}

const hints = new Set(['MONEY', 'CURRENCY', 'COUNTRY', 'IBAN', 'VAT_ID']);

/** Sends only the fields that were changed. */
export function EnterFieldsForm(props: EnterFieldsFormProps) {
  const { form, refusals, busy, closed = false, onBack, onSend } = props;
  const { t, i18n } = useTranslation();
  const [values, setValues] = useState<Record<string, string>>({});
  /** The value that each typed one replaces. */
  const [bases, setBases] = useState<Record<string, string>>({});
  const type = (line: FieldLine, value: string) => {
    setValues((previous) => ({ ...previous, [line.name]: value }));
    setBases((previous) => ({ [line.name]: currentValue(line), ...previous }));
  };
  const currentValue = (line: FieldLine) => line.field?.normalised || line.field?.raw || '';
  const changed = form.filter(
    (line) => values[line.name] !== undefined && values[line.name] !== currentValue(line),
  );
  const fields = changed.map(({ name }) => ({ name, value: (values[name] ?? '').trim() }));
  // Another person has entered a value for a field that was typed here.
  const overtaken = changed.flatMap((line) => {
    const value = currentValue(line);
    return bases[line.name] === value ? [] : [{ label: labelIn(i18n.language, line), value }];
  });
  const errorOf = (name: string) => {
    const refusal = refusals.find(({ field }) => field === name || field === `fields.${name}`);
    return refusal ? refusalMessage(t, i18n.language, refusal) : undefined;
  };
  return (
    <Stack gap="sm">
      <div className={classes.form}>
        {form.map((line) =>
          line.type === 'CHOICE' || line.type === 'BOOLEAN' ? (
            <NativeSelect
              key={line.name}
              label={labelIn(i18n.language, line)}
              withAsterisk={line.required}
              error={errorOf(line.name)}
              value={values[line.name] ?? currentValue(line)}
              data={[{ value: '', label: '—' }, ...choicesOf(t, i18n.language, line)]}
              onChange={(event) => {
                type(line, event.currentTarget.value);
              }}
            />
          ) : (
            <TextInput
              key={line.name}
              label={labelIn(i18n.language, line)}
              description={
                hints.has(line.type) ? t(`case.types.${line.type as 'MONEY'}`) : undefined
              }
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              withAsterisk={line.required}
              maxLength={Math.min(line.maxLength, bounds.value)}
              type={line.type === 'DATE' ? 'date' : 'text'}
              inputMode={line.type === 'MONEY' || line.type === 'NUMBER' ? 'decimal' : undefined}
              error={errorOf(line.name)}
              value={values[line.name] ?? currentValue(line)}
              onChange={(event) => {
                type(line, event.currentTarget.value);
              }}
            />
          ),
        )}
      </div>
      <ChangedMeanwhile fields={overtaken} />
      {!closed && (
        <FormActions
          busy={busy}
          disabledReason={fields.length === 0 ? t('case.enter.needed') : null}
          label={t('case.enter.send')}
          onSend={() => onSend(fields)}
          onBack={onBack}
        />
      )}
    </Stack>
  );
}
