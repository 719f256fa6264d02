// What is stated about the files that are sent next: what the process asks for before the files are chosen, and
// optional details after them.
import { Autocomplete, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { SubmitDocumentInput } from '../../graphql/generated/bounds';
import { attributeFault } from '../../lib/attributes';
import { countryNames } from '../../lib/countries';
import { isPlainAmount } from '../../lib/money';
import { emptyOrder, isCompleteOrder, type OrderDraft } from '../../lib/order-form';
import type { Refusal } from '../../lib/refusals';
import { missingDocument } from '../../lib/supporting';
import { AttributeFields } from '../../ui/attributes/AttributeFields';
import { SupportingFields } from '../../ui/supporting/SupportingFields';
import type { UploadItem } from './batch';
import { IntakeOrder } from './IntakeOrder';
import { IntakeProcesses } from './intake.graphql';
import classes from './intake.module.css';
import type { UploadMetadata } from './send';

/** Whether the metadata can be sent: an amount and its currency need each other. */
export function isCompleteMetadata(metadata: UploadMetadata): boolean {
  const { amount, order, declared, attributes } = metadata;
  if (missingDocument(metadata.kinds, metadata.documents)) return false;
  if (declared.some((one) => attributeFault(one, attributes[one.name] ?? '') !== null))
    return false;
  if (order) return isCompleteOrder(order);
  return amount === null || (isPlainAmount(amount.amount) && /^[A-Z]{3}$/.test(amount.currency));
}

export function MetadataFields({
  value,
  onChange,
  sent,
  refused,
  onAgain,
  children,
}: {
  value: UploadMetadata;
  onChange: (next: UploadMetadata) => void;
  /** The upload with the present order. */
  sent: { item: UploadItem; order: OrderDraft } | null;
  /** What the server refused about the attributes, by name. */
  refused: Readonly<Record<string, Refusal>>;
  onAgain: (file: File) => void;
  /** Where files are chosen. */
  children: ReactNode;
}) {
  const { t, i18n } = useTranslation();
  const [{ data }] = useQuery({ query: IntakeProcesses });
  const newest = new Map<string, NonNullable<typeof data>['processDefinitions']['nodes'][number]>();
  for (const one of data?.processDefinitions.nodes ?? [])
    if (!newest.has(one.key)) newest.set(one.key, one);
  const chosen = newest.get(value.process ?? 'document_approval');
  const declared = chosen?.attributes ?? value.declared;
  const kinds = chosen?.supportingDocuments ?? value.kinds;
  const changed =
    JSON.stringify([declared, kinds]) !== JSON.stringify([value.declared, value.kinds]);
  // A version that was published meanwhile may ask for others.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the process asks for others
  useEffect(() => {
    if (changed)
      onChange({
        ...value,
        declared,
        kinds,
        documents: value.documents.filter((one) => kinds.some(({ kind }) => kind === one.kind)),
      });
  }, [changed]);
  const amount = value.amount ?? { amount: '', currency: '' };
  const setAmount = (next: { amount: string; currency: string }) =>
    onChange({ ...value, amount: next.amount === '' && next.currency === '' ? null : next });
  const invalidAmount = amount.amount !== '' && !isPlainAmount(amount.amount);
  const orderType = chosen?.orderDocumentType ?? null;
  return (
    <>
      <NativeSelect
        className={classes.process}
        label={t('intake.stated.process')}
        value={value.process ?? 'document_approval'}
        onChange={(event) => {
          const next = newest.get(event.currentTarget.value);
          const required = next?.order === 'REQUIRED';
          onChange({
            ...value,
            process: event.currentTarget.value,
            declared: next?.attributes ?? [],
            kinds: next?.supportingDocuments ?? [],
            documents: [],
            documentType: required ? next.orderDocumentType : null,
            country: null,
            amount: required ? null : value.amount,
            order: required ? emptyOrder : null,
          });
        }}
        data={[...newest.values()].map((one) => ({
          value: one.key,
          label: one.titles.find((title) => title.name === i18n.language)?.value ?? one.title,
        }))}
      />
      <AttributeFields
        title={t('intake.attributes.title')}
        declared={value.declared}
        values={value.attributes}
        refused={refused}
        onChange={(attributes) => onChange({ ...value, attributes })}
      />
      <SupportingFields
        declared={value.kinds}
        chosen={value.documents}
        onChange={(documents) => onChange({ ...value, documents })}
      />
      {orderType !== null && (
        <IntakeOrder
          order={value.order}
          required={chosen?.order === 'REQUIRED'}
          sent={sent}
          onAgain={onAgain}
          onChange={(order) =>
            onChange({
              ...value,
              order,
              documentType: order ? orderType : null,
              amount: order ? null : value.amount,
            })
          }
        />
      )}
      {children}
      {value.order === null && (
        <details>
          <summary>{t('intake.stated.title')}</summary>
          <div className={classes.fields}>
            <NativeSelect
              label={t('intake.stated.type')}
              value={value.documentType ?? ''}
              onChange={(event) =>
                onChange({ ...value, documentType: event.currentTarget.value || null })
              }
              data={[
                { value: '', label: t('intake.stated.typeUnknown') },
                ...(chosen?.documentTypes ?? []).map((type) => ({
                  value: type,
                  label: t(`intake.types.${type}` as 'intake.types.invoice', {
                    defaultValue: type,
                  }),
                })),
              ]}
            />
            <TextInput
              label={t('intake.stated.amount')}
              inputMode="decimal"
              maxLength={24}
              value={amount.amount}
              error={invalidAmount ? t('intake.stated.amountWrong') : undefined}
              onChange={(event) =>
                setAmount({ ...amount, amount: event.currentTarget.value.trim() })
              }
            />
            <TextInput
              label={t('intake.stated.currency')}
              maxLength={3}
              value={amount.currency}
              error={
                amount.amount !== '' && !/^[A-Z]{3}$/.test(amount.currency)
                  ? t('intake.stated.currencyNeeded')
                  : undefined
              }
              onChange={(event) =>
                setAmount({ ...amount, currency: event.currentTarget.value.toUpperCase() })
              }
            />
            {chosen?.needs.includes('country') && (
              <Autocomplete
                label={t('intake.stated.country')}
                description={t('intake.stated.countryHint')}
                data={countryNames(i18n.language)}
                limit={20}
                maxLength={SubmitDocumentInput.country}
                autoComplete="off"
                value={value.country ?? ''}
                onChange={(country) => onChange({ ...value, country: country || null })}
              />
            )}
          </div>
        </details>
      )}
    </>
  );
}
