// The charts of the statistics, loaded with their library when a page has some. They are hidden from
// screen readers, because the table of figures below has the same numbers.
import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Title } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import classes from './statistics.module.css';

export interface Series {
  name: string;
  label: string;
  color: string;
}

export interface ChartData {
  title: string;
  kind: 'lines' | 'bars';
  points: Record<string, string | number | null>[];
  series: Series[];
}

/** Half a document is no value of an axis. */
const wholeTicks = { allowDecimals: false };

/** The tables beside the charts are what the keyboard and screen readers reach. */
const noFocus = { accessibilityLayer: false };

export function Charts({ charts }: { charts: readonly ChartData[] }) {
  const still = useReducedMotion();
  return (
    <div className={classes.charts} aria-hidden="true" data-charts>
      {charts.map(({ title, kind, points, series }) => {
        const shared = {
          h: 240,
          data: points,
          dataKey: 'key',
          series,
          withLegend: series.length > 1,
          yAxisProps: wholeTicks,
          tooltipAnimationDuration: still ? 0 : 100,
        };
        return (
          <div className="cs-card" key={title}>
            <Title order={3} size="h5" mb="xs">
              {title}
            </Title>
            {kind === 'lines' ? (
              <LineChart
                {...shared}
                lineChartProps={noFocus}
                curveType="linear"
                withDots={points.length < 32}
                connectNulls
              />
            ) : (
              <BarChart {...shared} barChartProps={noFocus} />
            )}
          </div>
        );
      })}
    </div>
  );
}
