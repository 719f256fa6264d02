// The fields with different values: who stated what, what follows from it, and what to do.
import { Button, Text, Title, UnstyledButton } from '@mantine/core';
import type { TFunction } from 'i18next';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DifferenceLine, statementOf } from '../../lib/differences';
import { fieldLabel } from '../../lib/labels';
import { Icon } from '../Icon';
import { Badge } from '../StatusBadge';
import { AssertedText, Origin } from './AssertedText';
import classes from './differences.module.css';

interface DifferencesPanelProps {
  lines: readonly DifferenceLine[];
  /** The current currency of the case, for amounts whose source stated none. */
  currency: string | null;
  me: string | null;
  onHistory: (field: string) => void;
  /** The button of a line. */
  action?: (line: DifferenceLine) => ReactNode;
  /** The case has ended, so nothing follows from the differences any more. */
  ended?: boolean;
}

export function DifferencesPanel({
  lines,
  currency,
  me,
  onHistory,
  action,
  ended = false,
}: DifferencesPanelProps) {
  const { t } = useTranslation();
  if (lines.length === 0) return null;
  return (
    <section className={`cs-card ${classes.panel}`} aria-labelledby="different-values">
      <Title order={2} id="different-values">
        <Icon name="alert" /> {t('differences.title')}
      </Title>
      <ul className={classes.lines}>
        {lines.map((line) => (
          <li key={line.field} className={classes.line} data-difference={line.field}>
            <div className={classes.head}>
              <Text fw={600} size="sm" id={`difference-${line.field}`}>
                {lineLabel(t, line)}
              </Text>
              <UnstyledButton
                className={classes.history}
                aria-label={t('differences.history.openWhat', { name: lineLabel(t, line) })}
                onClick={() => onHistory(line.field)}
              >
                <Icon name="clock" size={14} /> {t('differences.history.open')}
              </UnstyledButton>
            </div>
            <LineValues line={line} currency={currency} />
            {!ended && <Consequence line={line} me={me} />}
            {action?.(line)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How many other values are shown at first, so that the lines below stay in sight. */
const maxShown = 5;

/** The values of a line, the current one first. */
function LineValues({ line, currency }: { line: DifferenceLine; currency: string | null }) {
  const { t } = useTranslation();
  const [showsAll, setShowsAll] = useState(false);
  const others = showsAll ? line.others : line.others.slice(0, maxShown);
  const more = line.others.length - others.length;
  return (
    <ul className={classes.values}>
      {[line.current, ...others].map((asserted, index) => (
        <li key={`${asserted.source} ${asserted.value} ${asserted.currency}`}>
          <strong>
            <AssertedText field={line.field} asserted={asserted} currency={currency} />
          </strong>{' '}
          <Text span size="sm" c="dimmed">
            <Origin asserted={asserted} />
          </Text>{' '}
          {index === 0 && <Badge tone="calm">{t('differences.current')}</Badge>}
        </li>
      ))}
      {more > 0 && (
        <li>
          <Button size="compact-xs" variant="subtle" onClick={() => setShowsAll(true)}>
            {t('differences.more', { count: more })}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** The name of the line: the field, or the amount. */
export function lineLabel(t: TFunction<'translation'>, line: DifferenceLine): string {
  return line.amount ? t('differences.amount') : fieldLabel(t, line.field);
}

/** What follows from the difference, or why it needs a second person. */
function Consequence({ line, me }: { line: DifferenceLine; me: string | null }) {
  const { t } = useTranslation();
  if (!line.pending) return <Text size="sm">{consequenceText(t, line)}</Text>;
  const { confirmable } = line;
  const mine = confirmable?.source === 'HUMAN' && confirmable.by?.id === me;
  return (
    <Text size="sm" role="status" className={classes.pending}>
      {pendingText(t, line)} {mine && t('differences.releaseIt')}
    </Text>
  );
}

/** A difference of these from the document stops a payment order. */
const comparedWithOrder = new Set(['total', 'currency', 'vendor', 'iban']);

const ownConsequences = ['vendor', 'number', 'country', 'iban', 'vat_id'] as const;

function consequenceText(t: TFunction<'translation'>, line: DifferenceLine): string {
  if (line.ordered && comparedWithOrder.has(line.field)) return t('differences.means.order');
  if (line.amount || line.field === 'currency') {
    return t(statementOf(line) ? 'differences.means.amountOfTwo' : 'differences.means.amount');
  }
  const own = ownConsequences.find((field) => field === line.field);
  return own ? t(`differences.means.${own}`) : t('differences.means.other');
}

function pendingText(t: TFunction<'translation'>, line: DifferenceLine): string {
  if (line.pending !== 'STATEMENT') return t(`differences.pending.${line.pending ?? 'LIMIT'}`);
  const statement = statementOf(line) ?? 'HUMAN';
  return statement === 'DECLARED' && line.amount
    ? t('differences.pending.declaredAmount')
    : t(`differences.stated.${statement}`);
}
