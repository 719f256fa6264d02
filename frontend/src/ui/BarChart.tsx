// A bar chart. It is hidden from screen readers, because a table next to it has the same figures.
import type { ReactNode } from 'react';
import classes from './bar-chart.module.css';
import type { Tone } from './StatusBadge';

export interface Bar {
  key: string;
  label: ReactNode;
  value: number;
  /** The formatted value; defaults to the number. */
  text?: string;
  tone?: Tone;
}

const thickness = 14;

/** Horizontal bars on one scale from 0 to the largest value. */
export function BarChart({ bars }: { bars: readonly Bar[] }) {
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <div className={classes.chart} aria-hidden="true">
      {bars.map(({ key, label, value, text, tone = 'busy' }) => (
        <div key={key} className={classes.line}>
          <span className={`cs-lines2 ${classes.label}`}>{label}</span>
          <BarLine value={value} largest={largest} tone={tone} />
          <span className={`cs-numbers ${classes.figure}`}>{text ?? value}</span>
        </div>
      ))}
    </div>
  );
}

/** One bar on a scale from 0 to the largest value. The text beside it gives the value. */
export function BarLine({
  value,
  largest,
  tone = 'busy',
}: {
  value: number;
  largest: number;
  tone?: Tone;
}) {
  return (
    <svg
      width="100%"
      height={thickness}
      className={classes.bar}
      data-tone={tone}
      role="presentation"
      aria-hidden="true"
    >
      <rect className={classes.ground} width="100%" height={thickness} rx="3" />
      {value > 0 && (
        <rect
          className={classes.value}
          width={`${(100 * value) / largest}%`}
          height={thickness}
          rx="3"
        />
      )}
    </svg>
  );
}
