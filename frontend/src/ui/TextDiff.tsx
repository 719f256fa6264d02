// The changes between two texts; distant equal lines are omitted.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { diffOf, hunksOf } from '../lib/diff';
import classes from './text-editor.module.css';

const signs = { same: ' ', added: '+', removed: '−' } as const;

export function TextDiff({
  before,
  after,
  label,
}: {
  before: string;
  after: string;
  label: string;
}) {
  const { t } = useTranslation();
  const hunks = useMemo(() => hunksOf(diffOf(before, after)), [before, after]);
  if (hunks.every((line) => line === null)) return <p>{t('ui.diff.none')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable
    <section className={classes.diff} tabIndex={0} aria-label={label}>
      {hunks.map((line, index) =>
        line ? (
          <div key={`${line.kind} ${line.number}`} data-kind={line.kind}>
            <span className={classes.diffNumber} aria-hidden="true">
              {line.number}
            </span>
            <span aria-hidden="true">{signs[line.kind]}</span>
            {line.kind !== 'same' && (
              <span className="cs-visually-hidden">{t(`ui.diff.${line.kind}`)} </span>
            )}
            {line.text}
          </div>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a gap has no other identity
          <div key={`gap ${index}`} aria-hidden="true">
            ⋯
          </div>
        ),
      )}
    </section>
  );
}
