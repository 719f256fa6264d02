// A titled table of figures. It scrolls sideways where it is wider than the page.
import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './quality.module.css';

interface FigureTableProps {
  title: string;
  /** The headings; those of numbers are aligned with them. */
  heads: readonly (string | { number: string })[];
  children: ReactNode;
}

export function FigureTable({ title, heads, children }: FigureTableProps) {
  return (
    <section>
      <Title order={3} size="h5" mt="lg" mb={4}>
        {title}
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable */}
      <section className={classes.scroll} tabIndex={0} aria-label={title}>
        <table className="cs-table" aria-label={title}>
          <thead>
            <tr>
              {heads.map((head) =>
                typeof head === 'string' ? (
                  <th key={head}>{head}</th>
                ) : (
                  <th key={head.number} data-number>
                    {head.number}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </section>
    </section>
  );
}
