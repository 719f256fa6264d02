// The form of a payment order, with the faults and the server's refusals beside their values.
import { NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { countryCodes } from '../../lib/countries';
import { refusalMessage } from '../../lib/labels';
import {
  amountGrounds,
  type OrderDraft,
  type OrderField,
  type OrderPart,
  orderFaults,
  orderFields,
} from '../../lib/order-form';
import type { Refusal } from '../../lib/refusals';
import classes from './order.module.css';

interface OrderFieldsProps {
  draft: OrderDraft;
  onChange: (next: OrderDraft) => void;
  /** The longest texts that the API accepts. */
  bounds: Readonly<Partial<Record<OrderField | 'explanation', number>>>;
  refusals: Readonly<Partial<Record<OrderPart, Refusal>>>;
  /** Whether values that are missing are named too, and not only those typed wrong. */
  strict?: boolean;
  /** Payer and reference are shown and cannot be changed. */
  fixed?: boolean;
}

const uppercase = new Set<OrderField>(['account', 'bic', 'currency']);

export function OrderFields(props: OrderFieldsProps) {
  const { draft, onChange, bounds, refusals, strict, fixed } = props;
  const { t, i18n } = useTranslation();
  const faults = orderFaults(draft);
  const errorOf = (part: OrderPart): string | null => {
    const refusal = refusals[part];
    if (refusal) return orderRefusalText(t, i18n.language, refusal);
    const fault = faults[part];
    if (!fault || (!strict && fault === 'missing')) return null;
    return t(`order.faults.${fault}`);
  };
  const set = (field: OrderField, value: string) =>
    onChange({ ...draft, values: { ...draft.values, [field]: value } });
  return (
    <div className={classes.form}>
      {orderFields.map((field) => {
        const shared = {
          label: t(`order.fields.${field}`),
          withAsterisk: field !== 'bic',
          error: errorOf(field),
          value: draft.values[field],
        };
        if (field === 'country')
          return (
            <NativeSelect
              key={field}
              {...shared}
              data={countryOptions(t, i18n.language)}
              onChange={(event) => set(field, event.currentTarget.value)}
            />
          );
        const isFixed = fixed && (field === 'payer' || field === 'reference');
        return (
          <TextInput
            key={field}
            {...shared}
            {...(field === 'account' && { className: classes.account ?? '' })}
            {...(field === 'purpose' && { className: classes.wide ?? '' })}
            autoComplete="off"
            spellCheck={false}
            readOnly={isFixed}
            description={isFixed ? t('order.form.fixed') : undefined}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={field === 'currency' ? 3 : field === 'amount' ? 24 : bounds[field]}
            inputMode={field === 'amount' ? 'decimal' : 'text'}
            onChange={(event) => {
              const { value } = event.currentTarget;
              set(field, uppercase.has(field) ? value.toUpperCase() : value);
            }}
          />
        );
      })}
      <Ground {...props} errorOf={errorOf} />
    </div>
  );
}

/** Why the order differs from the document, which a submitter may state in advance. */
function Ground({
  draft,
  onChange,
  bounds,
  errorOf,
}: OrderFieldsProps & { errorOf: (part: OrderPart) => string | null }) {
  const { t } = useTranslation();
  const { kind, explanation } = draft.ground;
  const set = (ground: Partial<OrderDraft['ground']>) =>
    onChange({ ...draft, ground: { ...draft.ground, ...ground } });
  return (
    <>
      <NativeSelect
        label={t('order.form.ground')}
        error={errorOf('kind')}
        value={kind}
        onChange={(event) =>
          set({ kind: amountGrounds.find((one) => one === event.currentTarget.value) ?? '' })
        }
        data={[
          { value: '', label: t('order.form.noGround') },
          ...amountGrounds.map((one) => ({ value: one, label: t(`order.grounds.kind.${one}`) })),
        ]}
      />
      {kind !== '' && (
        <div className={classes.wide}>
          <Textarea
            label={t('order.grounds.explanation')}
            withAsterisk
            autosize
            minRows={2}
            maxRows={8}
            maxLength={bounds.explanation}
            error={errorOf('explanation')}
            value={explanation}
            onChange={(event) => set({ explanation: event.currentTarget.value })}
          />
          <Text size="xs" c="dimmed">
            {t('order.form.groundHint')}
          </Text>
        </div>
      )}
    </>
  );
}

function countryOptions(t: TFunction<'translation'>, language: string) {
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const options = countryCodes.map((value) => ({ value, label: names.of(value) ?? value }));
  options.sort((a, b) => a.label.localeCompare(b.label, language));
  return [{ value: '', label: t('order.form.noCountry') }, ...options];
}

/** In English the server's sentence, in other languages the message of its reason. */
function orderRefusalText(t: TFunction<'translation'>, language: string, refusal: Refusal): string {
  const reason = refusal.values?.find(({ name }) => name === 'reason')?.value ?? '';
  const own =
    language === 'en'
      ? ''
      : t(`order.reasons.${reason}` as 'order.reasons.iban', { defaultValue: '' });
  return own || refusalMessage(t, language, refusal);
}
