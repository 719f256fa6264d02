// A value that a language model stated and that does not count. It never looks like a value of the field.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { StatedValue } from '../../lib/differences';
import { AssertedText } from '../differences/AssertedText';
import { Badge } from '../StatusBadge';
import classes from './model.module.css';

interface SuggestionProps {
  /** The label of the field. */
  name: string;
  field: string;
  value: StatedValue;
  currency: string | null;
  /** Copies the suggestion into the field, where that is possible. */
  children?: ReactNode;
}

export function Suggestion({ name, field, value, currency, children }: SuggestionProps) {
  const { t } = useTranslation();
  // The page may well show a text that is no value of the field, such as "next week" for a date.
  const kind = value.value === '' ? 'unusable' : 'unseen';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div
      role="group"
      className={classes.suggestion}
      aria-label={t(`model.suggestion.${kind}.of`, { name })}
      data-suggestion={field}
    >
      <Badge tone="warn" icon="alert">
        {t(`model.suggestion.${kind}.badge`)}
      </Badge>
      <bdi className={`cs-lines2 ${classes.suggested}`}>
        <AssertedText field={field} asserted={value} currency={currency} />
      </bdi>
      <Text size="xs" c="dimmed" component="div">
        {t(`model.suggestion.${kind}.meaning`)}
      </Text>
      {children}
    </div>
  );
}
