// A payment order beside what the document states: the differences, their grounds, and the other
// orders on the same document.
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { countryText } from '../../lib/countries';
import {
  isRead,
  moneyOf,
  type OrderComparison,
  type OrderVerdict,
  stateOf,
  verdictOf,
  writtenAlike,
} from '../../lib/order';
import { groupedAccount } from '../../lib/value-text';
import { Badge, type Tone } from '../StatusBadge';
import { Notice } from '../states';
import { MoneyText } from '../values';
import { Grounds, type ShownGround } from './Grounds';
import { OrderEvidence, type OrdersOnEvidence } from './OrderEvidence';
import classes from './order.module.css';

export interface ShownOrder {
  payer: string;
  payee: string;
  account: string;
  bic: string | null;
  country: string;
  amount: { amount: string; currency: string };
  purpose: string;
  reference: string;
  covered: boolean;
  comparison: readonly OrderComparison[];
  earlierValues: readonly {
    field: string;
    values: readonly string[];
    acceptedBy: readonly { id: string; name: string }[];
  }[];
  grounds: readonly ShownGround[];
  onEvidence: OrdersOnEvidence | null;
}

interface OrderPanelProps {
  order: ShownOrder;
  /** Status of the case. */
  status: string;
  /** The viewer sees the review work. */
  staff: boolean;
  /** The panel is low: only what is paid, and the differences, are open. */
  compact?: boolean;
  /** The button of a ground. */
  groundAction?: (ground: ShownGround) => ReactNode;
  /** The button to accept restated values. */
  acceptAction?: ReactNode;
  /** The countries that the document states; undefined if they are not compared. */
  documentCountries?: readonly string[] | undefined;
  /** Further actions, at the end. */
  children?: ReactNode;
}

const tones: Record<OrderVerdict, Tone> = {
  unread: 'calm',
  differs: 'bad',
  unconfirmed: 'bad',
  explained: 'warn',
  partly: 'calm',
  agrees: 'good',
};

export function OrderPanel(props: OrderPanelProps) {
  const { order, status, staff, compact = false, groundAction, acceptAction, children } = props;
  const { t } = useTranslation();
  const verdict = verdictOf(order, isRead(order, status));
  const stopped = verdict === 'differs' || verdict === 'unconfirmed';
  const exceeded = order.onEvidence?.exceeded ?? false;
  // Good news about the comparison would hide that the orders together are too much.
  const quiet = exceeded && !stopped && verdict !== 'unread';
  return (
    <section
      className={`cs-card ${classes.panel}`}
      aria-labelledby="payment-order"
      data-compact={compact || undefined}
    >
      <Title order={2} id="payment-order" {...(compact && { fz: 'md' })}>
        {t('order.title')}
      </Title>
      {!quiet && (
        <Notice tone={tones[verdict]} icon={verdict === 'agrees' ? 'done' : 'alert'} live>
          <Text size="sm">{t(`order.verdict.${verdictText(verdict, staff, compact)}`)}</Text>
        </Notice>
      )}
      <Lines
        order={order}
        read={verdict !== 'unread'}
        compact={compact}
        countries={props.documentCountries}
      />
      {order.earlierValues.length > 0 && <Earlier order={order} action={acceptAction} />}
      {order.onEvidence && <OrderEvidence orders={order.onEvidence} />}
      {order.grounds.length > 0 && <Grounds grounds={order.grounds} action={groundAction} />}
      {children}
    </section>
  );
}

/** The key of the sentence about the whole order; the desk names the consequence beside its buttons. */
function verdictText(verdict: OrderVerdict, staff: boolean, compact: boolean) {
  if (verdict !== 'differs' && verdict !== 'unconfirmed') return verdict;
  if (!staff) return 'submitter';
  return compact ? (`${verdict}Short` as const) : verdict;
}

interface LinesProps {
  order: ShownOrder;
  read: boolean;
  compact: boolean;
  countries: readonly string[] | undefined;
}

function Lines({ order, read, compact, countries }: LinesProps) {
  const { t } = useTranslation();
  const others = (
    <>
      <Line name="bic">{order.bic}</Line>
      <Line name="payer">{order.payer}</Line>
      <Line name="reference">{order.reference}</Line>
      <Line name="purpose">{order.purpose}</Line>
    </>
  );
  return (
    <>
      <PaidLines order={order} read={read} compact={compact} countries={countries}>
        {!compact && others}
      </PaidLines>
      {compact && (
        <details>
          <summary>{t('order.others')}</summary>
          <ul className={classes.lines}>{others}</ul>
        </details>
      )}
    </>
  );
}

/** What is paid, to whom and where, beside the document. */
function PaidLines({
  order,
  read,
  compact,
  countries,
  children,
}: LinesProps & { children: ReactNode }) {
  const { t, i18n } = useTranslation();
  const once = compact && read;
  const compared = (field: string) => order.comparison.find((line) => line.field === field);
  return (
    <ul className={classes.lines}>
      <li className={`${classes.line} ${classes.head}`} aria-hidden="true">
        <span />
        <Text size="xs" c="dimmed">
          {t('order.columns.order')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('order.columns.document')}
        </Text>
      </li>
      <Line name="amount" comparison={compared('total')} read={read} once={once}>
        <MoneyText money={order.amount} />
      </Line>
      <Line name="payee" comparison={compared('vendor')} read={read} once={once}>
        {order.payee}
      </Line>
      <Line name="account" comparison={compared('iban')} read={read} once={once}>
        <span className="cs-mono">{groupedAccount(order.account)}</span>
      </Line>
      <Line
        name="country"
        comparison={countryComparison(order, countries, i18n.language)}
        read={read}
        once={once}
      >
        {countryText(order.country, i18n.language)}
      </Line>
      {children}
    </ul>
  );
}

/** The country of the order beside the document's. It needs no reason of its own, so it is never covered. */
function countryComparison(
  { country }: ShownOrder,
  countries: readonly string[] | undefined,
  language: string,
): OrderComparison | undefined {
  return (
    countries && {
      field: 'country',
      order: countryText(country, language),
      document: countries.map((one) => countryText(one, language)),
      differs: countries.length > 0 && !countries.includes(country),
      covered: false,
    }
  );
}

type LineName =
  | 'amount'
  | 'payee'
  | 'account'
  | 'bic'
  | 'country'
  | 'payer'
  | 'reference'
  | 'purpose';

interface LineProps {
  name: LineName;
  comparison?: OrderComparison | undefined;
  read?: boolean;
  /** A value that order and document write alike is shown once. */
  once?: boolean;
  children: ReactNode;
}

/** One value of the order; with a comparison also what the document states. */
function Line({ name, comparison, read, once, children }: LineProps) {
  const { t } = useTranslation();
  if (children === null) return null;
  const state = comparison && read ? stateOf(comparison) : undefined;
  if (once && comparison && state === 'same' && writtenAlike(comparison))
    return (
      <li className={`${classes.line} ${classes.alike}`} data-state={state} data-order-line={name}>
        <Text size="sm" c="dimmed">
          {t(`order.values.${name}`)}
        </Text>
        <Text span fw={600} size="sm" className={classes.cell}>
          <span className="cs-visually-hidden">{`${t('order.columns.both')}: `}</span>
          {children}
        </Text>
        <Badge tone="good">{t('order.state.same')}</Badge>
      </li>
    );
  return (
    <li className={classes.line} data-state={state} data-order-line={name}>
      <Text size="sm" c="dimmed">
        {t(`order.values.${name}`)}
      </Text>
      <div className={`${classes.cell} ${comparison ? '' : classes.only}`}>
        <Text span fw={600} size="sm">
          {comparison && <Short text={t('order.columns.order')} />}
          {children}
        </Text>
      </div>
      {comparison && (
        <div className={classes.cell}>
          <DocumentValues comparison={comparison} read={read ?? false} />
          {state === 'differs' && (
            <Badge tone="bad" icon="alert">
              {t('order.state.differs')}
            </Badge>
          )}
          {state === 'explained' && <Badge tone="warn">{t('order.state.explained')}</Badge>}
          {state === 'same' && <Badge tone="good">{t('order.state.same')}</Badge>}
        </div>
      )}
    </li>
  );
}

/** The column of a value, for screen readers and where the columns are below each other. */
function Short({ text }: { text: string }) {
  return (
    <>
      <span className="cs-visually-hidden">{`${text}: `}</span>
      <Text span size="xs" c="dimmed" className={classes.short} aria-hidden="true">
        {`${text} `}
      </Text>
    </>
  );
}

function DocumentValues({ comparison, read }: { comparison: OrderComparison; read: boolean }) {
  const { t } = useTranslation();
  const { field, document } = comparison;
  const none = !read
    ? t('order.notRead')
    : t(field === 'total' ? 'caseLabels.amounts.none' : 'order.unstated');
  return (
    <>
      {(document.length === 0 ? [none] : document).map((value) => (
        <Text key={value} span size="sm" {...(document.length === 0 && { c: 'dimmed' })}>
          <Short text={t('order.columns.document')} />
          {field === 'total' && moneyOf(value) ? (
            <MoneyText money={moneyOf(value)} />
          ) : field === 'iban' && document.length > 0 ? (
            <span className="cs-mono">{groupedAccount(value)}</span>
          ) : (
            value
          )}
        </Text>
      ))}
    </>
  );
}

/** The earlier values of a restated order that still count. */
function Earlier({ order, action }: { order: ShownOrder; action: ReactNode }) {
  const { t } = useTranslation();
  const comma = t('caseLabels.next.comma');
  return (
    <Notice tone="warn" icon="alert" live>
      <Text size="sm">{t('order.restated.title')}</Text>
      <ul className={classes.plain}>
        {order.earlierValues.map(({ field, values, acceptedBy }) => (
          <li key={field}>
            <Text size="sm" fw={600}>
              {t('order.restated.line', {
                name: t(`order.earlier.${field}` as 'order.earlier.total', { defaultValue: field }),
                values: values.map(field === 'iban' ? groupedAccount : String).join(comma),
              })}
            </Text>
            {acceptedBy.length > 0 && (
              <Text size="sm">
                {t('order.restated.acceptedBy', {
                  names: acceptedBy.map(({ name }) => name).join(comma),
                })}
              </Text>
            )}
          </li>
        ))}
      </ul>
      {action}
    </Notice>
  );
}
