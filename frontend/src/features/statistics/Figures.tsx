// The totals, the charts and the table of figures by group.

import { Anchor, Skeleton, Title } from '@mantine/core';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { FigureFieldsFragment } from '../../graphql/generated/graphql';
import { queueLabel } from '../../lib/labels';
import { whenOnline } from '../../lib/when-online';
import type { ChartData } from './Charts';
import { axisOf, durationText, type StatisticsSearch, shareText } from './period';
import classes from './statistics.module.css';
import { useProcessTitle } from './use-process-title';

const Charts = lazy(() => whenOnline(async () => ({ default: (await import('./Charts')).Charts })));

type Row = FigureFieldsFragment;
type Times = Row['reviews']['wait'];

interface FiguresProps {
  search: StatisticsSearch;
  total: Row;
  rows: readonly Row[];
  onApply: (search: StatisticsSearch) => void;
}

/** The name of a row: of a person, of a process, of a queue, or the day. */
function useNames(by: StatisticsSearch['by']): (row: Row) => string {
  const { t } = useTranslation();
  const title = useProcessTitle();
  return useCallback(
    (row: Row) =>
      row.person?.name ??
      (by === 'PROCESS' ? title(row.key) : by === 'QUEUE' ? queueLabel(t, row.key) : row.key),
    [by, title, t],
  );
}

export function Figures({ search, total, rows, onApply }: FiguresProps) {
  const { t } = useTranslation();
  const charts = useCharts(search, rows);
  return (
    <>
      <Totals total={total} />
      {charts.length > 0 && (
        <Suspense fallback={<Skeleton height={290} />}>
          <Charts charts={charts} />
        </Suspense>
      )}
      <div className="cs-card">
        <Title order={2} id="figures" size="h4" mb="xs">
          {t('statistics.figures')}
        </Title>
        <FigureRows search={search} total={total} rows={rows} onApply={onApply} />
      </div>
    </>
  );
}

function useCharts(search: StatisticsSearch, rows: readonly Row[]): ChartData[] {
  const { t } = useTranslation();
  const nameOf = useNames(search.by);
  return useMemo(() => {
    if (rows.length < 2) return [];
    const daily = search.by === undefined;
    const longest = Math.max(0, ...rows.map(({ reviews }) => reviews.wait?.p90 ?? 0));
    const { unit, seconds } = axisOf(longest);
    const inUnit = (times: Times, which: 'median' | 'p90') =>
      times ? Math.round((times[which] / seconds) * 10) / 10 : null;
    const withCases = rows.some(({ cases }) => cases !== null);
    const kind = daily ? ('lines' as const) : ('bars' as const);
    return [
      {
        kind,
        title: t(withCases ? 'statistics.throughput' : 'statistics.throughputOf'),
        points: rows.map((row) => ({
          key: nameOf(row),
          submitted: row.cases?.submitted ?? null,
          ended: row.cases?.ended ?? null,
          decided: row.reviews.decided,
        })),
        series: [
          ...(withCases
            ? [
                { name: 'submitted', label: t('statistics.submitted'), color: 'gray.6' },
                { name: 'ended', label: t('statistics.ended'), color: 'teal.6' },
              ]
            : []),
          { name: 'decided', label: t('statistics.decided'), color: 'blue.6' },
        ],
      },
      {
        kind,
        title: t(`statistics.waitingIn.${unit}`),
        points: rows.map((row) => ({
          key: nameOf(row),
          median: inUnit(row.reviews.wait, 'median'),
          p90: inUnit(row.reviews.wait, 'p90'),
        })),
        series: [
          { name: 'median', label: t('statistics.median'), color: 'blue.6' },
          { name: 'p90', label: t('statistics.p90'), color: 'orange.6' },
        ],
      },
    ];
  }, [nameOf, search.by, rows, t]);
}

function useTexts() {
  const { t, i18n } = useTranslation();
  const none = t('ui.none');
  return {
    none,
    number: (value: number | null | undefined) =>
      value === null || value === undefined
        ? none
        : new Intl.NumberFormat(i18n.language).format(value),
    share: (part: number, whole: number) => shareText(part, whole, i18n.language) ?? none,
    duration: (seconds: number) => durationText(seconds, i18n.language),
    times: (times: Times) =>
      times
        ? `${durationText(times.median, i18n.language)} / ${durationText(times.p90, i18n.language)}`
        : none,
  };
}

function Totals({ total }: { total: Row }) {
  const { t } = useTranslation();
  const texts = useTexts();
  const { cases, reviews } = total;
  const timesOf = (times: Times) =>
    times
      ? {
          value: texts.duration(times.median),
          note: t('statistics.ofNine', { time: texts.duration(times.p90) }),
        }
      : { value: texts.none };
  return (
    <dl className={`cs-card ${classes.totals}`} aria-label={t('statistics.total')}>
      {cases && (
        <>
          <Total label={t('statistics.submitted')} value={texts.number(cases.submitted)} />
          <Total label={t('statistics.ended')} value={texts.number(cases.ended)} />
          <Total
            label={t('statistics.straight')}
            value={texts.share(cases.straightThrough, cases.archived)}
          />
          {cases.drawn !== null && (
            <Total label={t('statistics.drawn')} value={texts.share(cases.drawn, cases.archived)} />
          )}
          <Total label={t('statistics.lead')} {...timesOf(cases.leadTime)} />
        </>
      )}
      <Total label={t('statistics.decided')} value={texts.number(reviews.decided)} />
      <Total label={t('statistics.late')} value={texts.number(reviews.late)} />
      <Total label={t('statistics.wait')} {...timesOf(reviews.wait)} />
      <Total label={t('statistics.work')} {...timesOf(reviews.work)} />
    </dl>
  );
}

function Total({ label, value, note }: { label: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="cs-numbers">
        {value}
        {note && <small>{note}</small>}
      </dd>
    </div>
  );
}

/** Whether anything happened: a day without any is left out of the table. */
const happened = ({ cases, reviews }: Row): boolean =>
  [
    cases?.submitted,
    cases?.ended,
    reviews.opened,
    reviews.decided,
    reviews.late,
    reviews.missedClaims,
  ].some((count) => (count ?? 0) > 0);

/** The columns with a median and the time of nine of ten. */
const times: ReadonlySet<string> = new Set(['lead', 'wait', 'work', 'review']);

function FigureRows({ search, total, rows, onApply }: FiguresProps) {
  const { t } = useTranslation();
  const withCases = rows.some(({ cases }) => cases !== null);
  const heads = [
    ...(withCases ? (['submitted', 'ended', 'archived', 'rejected', 'abandoned'] as const) : []),
    ...(withCases ? (['straight', 'drawn', 'lead'] as const) : []),
    ...(['opened', 'decided', 'late', 'missed', 'wait', 'work', 'review'] as const),
  ];
  const group = t(`statistics.group.${search.by ?? 'DAY'}`);
  // The newest day is the first; other groups are in the order of the server.
  const shown = search.by === undefined ? rows.filter(happened).toReversed() : rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable
    <section className={classes.dense} tabIndex={0} aria-label={t('statistics.figures')}>
      <table className="cs-table" aria-labelledby="figures">
        <thead>
          <tr>
            <th>{group}</th>
            {heads.map((head) => (
              <th data-number key={head}>
                {t(`statistics.${head}`)}
                {times.has(head) && <small>{t('statistics.medianP90')}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.person?.id ?? row.key}>
              <th scope="row">
                <Narrow search={search} row={row} onApply={onApply} />
              </th>
              <Cells row={row} withCases={withCases} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('statistics.total')}</th>
            <Cells row={total} withCases={withCases} />
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

/** The name of the group. A queue, process or person can be chosen as a filter. */
function Narrow({
  search,
  row,
  onApply,
}: {
  search: StatisticsSearch;
  row: Row;
  onApply: (search: StatisticsSearch) => void;
}) {
  const { t } = useTranslation();
  const { by, ...rest } = search;
  const name = useNames(by)(row);
  if (by === undefined || name === '') return name || t('ui.unknownPerson');
  const filter =
    by === 'QUEUE'
      ? { queue: row.key }
      : by === 'PROCESS'
        ? { process: row.key }
        : { person: row.person?.id ?? '' };
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      aria-label={t('statistics.narrow', { name })}
      onClick={() => onApply({ ...rest, ...filter })}
    >
      {name}
    </Anchor>
  );
}

function Cells({ row: { cases, reviews }, withCases }: { row: Row; withCases: boolean }) {
  const texts = useTexts();
  const caseTexts = cases
    ? [
        ...[cases.submitted, cases.ended, cases.archived, cases.rejected, cases.abandoned].map(
          texts.number,
        ),
        texts.share(cases.straightThrough, cases.archived),
        cases.drawn === null ? texts.none : texts.share(cases.drawn, cases.archived),
        texts.times(cases.leadTime),
      ]
    : Array.from({ length: 8 }, () => texts.none);
  const cells = [
    ...(withCases ? caseTexts : []),
    ...[reviews.opened, reviews.decided, reviews.late, reviews.missedClaims].map(texts.number),
    texts.times(reviews.wait),
    texts.times(reviews.work),
    texts.times(reviews.total),
  ];
  return cells.map((text, column) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change their order
    <td data-number className="cs-numbers" key={column}>
      {text}
    </td>
  ));
}
