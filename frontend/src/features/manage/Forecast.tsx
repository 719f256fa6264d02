// The forecast of overdue reviews at the last day's pace, as a chart of totals and a table by
// queue.
import { Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { queueLabel } from '../../lib/labels';
import { BarChart } from '../../ui/BarChart';
import { ErrorState, LoadingState } from '../../ui/states';
import { horizons, shortHistory, totalsOf } from './forecast-totals';
import { QueueForecasts } from './manage.graphql';
import classes from './manage.module.css';

interface ForecastProps {
  /** The queue of the filter; null is all queues. */
  queue: string | null;
  /** Changes whenever the counts of the queues change. */
  countsKey: string;
}

export function Forecast({ queue, countsKey }: ForecastProps) {
  const { t, i18n } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: QueueForecasts,
    requestPolicy: 'cache-and-network',
  });
  const lastCountsKey = useRef(countsKey);
  useEffect(() => {
    if (lastCountsKey.current === countsKey) return;
    lastCountsKey.current = countsKey;
    refetch({ requestPolicy: 'network-only' });
  }, [countsKey, refetch]);
  const queues = (data?.queues ?? []).filter(({ name }) => queue === null || name === queue);
  const totals = totalsOf(queues);
  const history = shortHistory(queues);
  const numberFormat = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
  const heading = (hours: number) => t('manage.forecast.in', { count: hours });
  return (
    <section aria-labelledby="forecast">
      <Title order={2} id="forecast" mb={4}>
        {t('manage.forecast.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('manage.forecast.intro')}{' '}
        <Link to="/statistics/forecast" search={queue === null ? {} : { queue }}>
          {t('manage.forecast.whatIf')}
        </Link>
      </Text>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={4} />}
      {data && (
        <div className={`cs-card ${history === null ? classes.sideBySide : classes.below}`}>
          {history !== null ? (
            <Text size="sm" role="status">
              {t('manage.forecast.short', { count: history })}
            </Text>
          ) : (
            <BarChart
              bars={[
                {
                  key: 'now',
                  label: t('manage.forecast.now'),
                  value: totals.overdue,
                  tone: totals.overdue > 0 ? 'bad' : 'busy',
                },
                ...horizons.map((hours, index) => ({
                  key: String(hours),
                  label: heading(hours),
                  value: totals.byHorizon[index] ?? 0,
                  tone: 'warn' as const,
                })),
              ]}
            />
          )}
          <table className={`cs-table ${classes.figuresTable}`} aria-labelledby="forecast">
            <thead>
              <tr>
                <th>{t('manage.column.queue')}</th>
                <th data-number>{t('manage.forecast.now')}</th>
                {horizons.map((hours) => (
                  <th data-number key={hours}>
                    {t('manage.forecast.hours', { count: hours })}
                  </th>
                ))}
                <th data-number>{t('manage.forecast.pace')}</th>
                <th data-number>{t('manage.forecast.arrivals')}</th>
              </tr>
            </thead>
            <tbody>
              {queues.map(({ name, overdue, forecast }) => (
                <tr key={name}>
                  <th scope="row">{queueLabel(t, name)}</th>
                  <td data-number>{overdue}</td>
                  {horizons.map((hours, index) => (
                    <td data-number className="cs-numbers" key={hours}>
                      {forecast && history === null
                        ? `+${forecast.breaches[index]?.count ?? 0}`
                        : t('ui.none')}
                      {(forecast?.breaches[index]?.claims ?? 0) > 0 && (
                        <Text span size="xs" c="dimmed" className={classes.claims}>
                          {t('manage.forecast.claims', {
                            count: forecast?.breaches[index]?.claims ?? 0,
                          })}
                        </Text>
                      )}
                    </td>
                  ))}
                  <td data-number>
                    {forecast && history === null
                      ? numberFormat.format(forecast.pace)
                      : t('ui.none')}
                  </td>
                  <td data-number>
                    {forecast && history === null
                      ? numberFormat.format(forecast.arrivals)
                      : t('ui.none')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
