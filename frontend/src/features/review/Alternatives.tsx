// Other values of a field as choices. Choosing one enters it like a value that is typed.
import { Kbd, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AssertedText } from '../../ui/differences/AssertedText';
import { type Alternative, maxAlternatives } from './alternatives';
import classes from './review.module.css';

interface AlternativesProps {
  /** The label of the field. */
  name: string;
  field: string;
  values: readonly Alternative[];
  currency: string | null;
  typed: string | null;
  onChoose: (chosen: Alternative) => void;
}

export function Alternatives({
  name,
  field,
  values,
  currency,
  typed,
  onChoose,
}: AlternativesProps) {
  const { t } = useTranslation();
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? values : values.slice(0, maxAlternatives);
  if (values.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div
      role="group"
      className={classes.alternatives}
      aria-label={t('review.alternatives.of', { name })}
    >
      {shown.map(({ value, stated }, index) => (
        <UnstyledButton
          key={value}
          className={classes.alternative}
          tabIndex={-1}
          data-alternative={index + 1}
          aria-pressed={typed === value}
          {...(index < maxAlternatives && { 'aria-keyshortcuts': `Alt+${index + 1}` })}
          onClick={() => onChoose({ value, stated })}
        >
          {index < maxAlternatives && (
            <>
              <Kbd size="xs" aria-hidden="true">
                Alt+{index + 1}
              </Kbd>{' '}
            </>
          )}
          <bdi className="cs-lines2">
            {stated ? <AssertedText field={field} asserted={stated} currency={currency} /> : value}
          </bdi>{' '}
          <span className={classes.alternativeSource}>
            {stated
              ? t(`caseLabels.sources.${stated.source}`)
              : t('review.alternatives.otherEngine')}
          </span>
        </UnstyledButton>
      ))}
      {shown.length < values.length && (
        <UnstyledButton
          className={classes.alternative}
          tabIndex={-1}
          onClick={() => setShowsAll(true)}
        >
          {t('review.alternatives.more', { count: values.length - shown.length })}
        </UnstyledButton>
      )}
    </div>
  );
}
