// The line items of a document as a table, with their sum beside the net amount and the total. In a
// narrow place quantity, price and tax are below the description.
import { Text, Title } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { LineItemRowsFragment } from '../../graphql/generated/graphql';
import { dateTimeText } from '../../lib/format';
import { fieldLabel } from '../../lib/labels';
import { differenceOf, groupedAmount, withDecimalsOf } from '../../lib/money';
import { unitText } from '../../lib/units';
import { Badge } from '../StatusBadge';
import { Notice } from '../states';
import classes from './lines.module.css';

type Item = LineItemRowsFragment['items'][number];

/** A line of the form of fields, of which the net amount and the total are shown. */
interface FormLine {
  name: string;
  field: { normalised: string } | null;
}

interface LineItemsPanelProps {
  lines: LineItemRowsFragment;
  form: readonly FormLine[];
  /** The document has pages besides its e-invoice. */
  hasPages: boolean;
  /** A button below the table, also without items. */
  action?: ReactNode;
}

/** Items with a lower confidence are marked, as key fields are. */
const lowConfidence = 0.6;

export function LineItemsPanel({ lines, form, hasPages, action }: LineItemsPanelProps) {
  const { t, i18n } = useTranslation();
  if (lines.found === 0 && !action && !lines.corrected) return null;
  const count = new Intl.NumberFormat(i18n.language);
  return (
    <section className={`cs-card ${classes.panel}`} aria-labelledby="line-items">
      <Title order={2} id="line-items">
        {t('lines.title')}
      </Title>
      {lines.sumEquals === 'DIFFERS' && (
        <Notice tone="warn" icon="alert">
          <Text size="sm">{t('lines.differs')}</Text>
        </Notice>
      )}
      {hasPages && lines.xmlCount > 0 && lines.xmlCount !== lines.pageCount && (
        <Notice tone="warn" icon="alert">
          <Text size="sm">
            {t('lines.counts', {
              xml: count.format(lines.xmlCount),
              pages: count.format(lines.pageCount),
            })}
          </Text>
        </Notice>
      )}
      {lines.corrected && (
        <Text size="sm" c="dimmed">
          {t(lines.corrected.by ? 'lines.corrected' : 'lines.correctedUnnamed', {
            name: lines.corrected.by?.name,
            at: dateTimeText(lines.corrected.at, i18n.language),
          })}
        </Text>
      )}
      {lines.found > 0 && (
        <table className={`cs-table ${classes.table}`} aria-labelledby="line-items">
          <thead>
            <tr>
              <th>{t('lines.description')}</th>
              <th data-number data-wide>
                {t('lines.quantity')}
              </th>
              <th data-number data-wide>
                {t('lines.unitPrice')}
              </th>
              <th data-number data-wide>
                {t('lines.tax')}
              </th>
              <th data-number>{t('lines.amount')}</th>
            </tr>
          </thead>
          <tbody>
            {lines.items.map((item, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
              <Row key={index} item={item} />
            ))}
          </tbody>
          <Sums lines={lines} form={form} />
        </table>
      )}
      {lines.items.length < lines.found && (
        <Text size="sm" c="dimmed">
          {t('lines.cut', {
            shown: count.format(lines.items.length),
            found: count.format(lines.found),
          })}
        </Text>
      )}
      {action}
    </section>
  );
}

function Row({ item }: { item: Item }) {
  const { t, i18n } = useTranslation();
  const number = (text: string) => groupedAmount(text, i18n.language);
  const unit = unitText(t, item.unit);
  const quantity = [number(item.quantity), unit].filter(Boolean).join(' ');
  const unitPrice = number(withDecimalsOf(item.unitPrice, item.amount?.amount ?? ''));
  const price = item.priceQuantity
    ? t('lines.per', { price: unitPrice, quantity: number(item.priceQuantity) })
    : unitPrice;
  const tax = item.taxRate && `${number(item.taxRate)}\u00a0%`;
  return (
    <tr>
      <td>
        <bdi className={classes.description}>{item.description}</bdi>
        <Text size="xs" c="dimmed" className={classes.narrow}>
          {[[quantity, price].filter(Boolean).join(' × '), tax && t('lines.taxOf', { rate: tax })]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        {item.allowance && (
          <Text size="xs" c="dimmed">
            {t('lines.allowance', { amount: number(item.allowance.amount) })}
          </Text>
        )}
        <Mark item={item} />
      </td>
      <td data-number data-wide>
        {quantity}
      </td>
      <td data-number data-wide>
        {price}
      </td>
      <td data-number data-wide>
        {tax}
      </td>
      <td data-number className={classes.amount}>
        {item.amount ? number(item.amount.amount) : t('lines.unknown')}
      </td>
    </tr>
  );
}

function Mark({ item }: { item: Item }) {
  const { t } = useTranslation();
  if (item.addsUp === false)
    return (
      <Badge tone="warn" icon="alert">
        {t('lines.rowDiffers')}
      </Badge>
    );
  if (item.confidence < lowConfidence)
    return (
      <Badge tone="warn" icon="alert">
        {t('lines.uncertain')}
      </Badge>
    );
  return null;
}

/** The sum of the items, then the amounts of the document. */
function Sums({ lines, form }: { lines: LineItemRowsFragment; form: readonly FormLine[] }) {
  const { t, i18n } = useTranslation();
  const number = (text: string) => groupedAmount(text, i18n.language);
  const value = (name: string) => form.find((line) => line.name === name)?.field?.normalised ?? '';
  const adjusted = lines.adjustment !== null && /[1-9]/.test(lines.adjustment.amount);
  const note = equalsText(t, number, lines, value);
  return (
    <tfoot>
      <SumRow
        label={t('lines.sum')}
        note={adjusted ? '' : note}
        amount={
          lines.sum ? `${number(lines.sum.amount)} ${lines.sum.currency}` : t('lines.unknown')
        }
      />
      {lines.adjustment && adjusted && (
        <SumRow
          label={t('lines.adjustment')}
          note={note}
          amount={number(lines.adjustment.amount)}
        />
      )}
      {['net', 'total'].map(
        (name) =>
          value(name) && (
            <SumRow key={name} label={fieldLabel(t, name)} note="" amount={number(value(name))} />
          ),
      )}
    </tfoot>
  );
}

/** That the sum of the items equals an amount, or by how much rounding lets it differ. */
export function nearlyText(
  t: TFunction,
  number: (amount: string) => string,
  equals: 'NET' | 'TOTAL',
  difference: string,
): string {
  return /[1-9]/.test(difference)
    ? t(`lines.rounded.${equals}`, { amount: number(difference.replace('-', '')) })
    : t(`lines.equals.${equals}`);
}

/** What the sum of the items equals. A difference that rounding explains is named. */
export function equalsText(
  t: TFunction,
  number: (amount: string) => string,
  { sumEquals, sum, adjustment }: Pick<LineItemRowsFragment, 'sumEquals' | 'sum' | 'adjustment'>,
  value: (name: string) => string,
): string {
  if (!sumEquals) return '';
  if (sum && (sumEquals === 'NET' || sumEquals === 'TOTAL')) {
    const stated = value(sumEquals === 'NET' ? 'net' : 'total');
    const amounts = [sum.amount, ...(adjustment ? [adjustment.amount] : [])];
    const difference = stated === '' ? '' : differenceOf(amounts, stated);
    return nearlyText(t, number, sumEquals, difference);
  }
  return t(`lines.equals.${sumEquals}`);
}

function SumRow({ label, note, amount }: { label: string; note: string; amount: string }) {
  return (
    <tr>
      <th scope="row">
        {label}
        {note && (
          <Text span size="xs" c="dimmed" className={classes.note}>
            {note}
          </Text>
        )}
      </th>
      <td data-wide />
      <td data-wide />
      <td data-wide />
      <td data-number className={classes.amount}>
        {amount}
      </td>
    </tr>
  );
}
