// One field: its value, doubts and source, and how the typed text will be understood.
import { Autocomplete, Button, NativeSelect, Text, TextInput, UnstyledButton } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldInput } from '../../graphql/generated/bounds';
import { countryNames } from '../../lib/countries';
import type { StatedValue } from '../../lib/differences';
import { choiceLabel, choicesOf, labelIn } from '../../lib/field-labels';
import { rightText } from '../../lib/format';
import { refusalMessage } from '../../lib/labels';
import type { Refusal } from '../../lib/refusals';
import { shownText } from '../../lib/value-text';
import { Icon } from '../../ui/Icon';
import { Suggestion } from '../../ui/model/Suggestion';
import { type PageScan, PageSnippet } from '../../ui/PageImage';
import { Badge } from '../../ui/StatusBadge';
import { Alternatives } from './Alternatives';
import type { Alternative } from './alternatives';
import { type Reading, readingOf } from './field-text';
import classes from './review.module.css';
import { type Line, textOf } from './review-facts';

interface FieldLineProps {
  line: Line;
  /** What a language model states and no page shows; null if nothing. */
  suggestion: StatedValue | null;
  /** Other values to choose; only of the highlighted field. */
  alternatives: readonly Alternative[];
  pages: readonly PageScan[];
  /** The value is sure, but different values are stated and a person has to check it. */
  differs: boolean;
  /** The typed, unsaved value; null if there is none. */
  typed: string | null;
  currency: string | null;
  writable: boolean;
  highlighted: boolean;
  /** Whether Tab enters the form at this field. */
  tabStop: boolean;
  refusal: Refusal | null;
  /** Whether the value can be confirmed as read now. */
  confirmable: boolean;
  onConfirm: () => void;
  /** Asks why the missing value cannot be determined; null if that cannot be stated now. */
  onUndetermined: (() => void) | null;
  onHistory: () => void;
  onFocus: () => void;
  onType: (value: string) => void;
  /** Enters another value, of a total with its currency. */
  onChoose: (chosen: Alternative) => void;
  onUndo: () => void;
}

export function FieldLine(props: FieldLineProps) {
  const { t, i18n } = useTranslation();
  const { line, typed, highlighted, refusal } = props;
  const name = labelIn(i18n.language, line);
  const savedValue = textOf(line);
  const reading = readingOf(line.type, typed ?? savedValue, props.currency, i18n.language);
  const errorText = refusal
    ? refusalMessage(t, i18n.language, refusal)
    : typed !== null && reading && 'fault' in reading
      ? faultMessage(t, reading)
      : null;
  const page = line.field?.box
    ? props.pages.find(({ number }) => number === line.field?.page)
    : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset for one value would be announced twice
    <div
      className={classes.field}
      role="group"
      aria-label={name}
      tabIndex={-1 /* focused after the field before it was confirmed */}
      data-row={line.name}
      data-needs={line.needsPerson || undefined}
      data-lit={highlighted || undefined}
      data-typed={typed !== null || undefined}
      data-model={line.field?.source === 'LLM' || undefined}
      data-refused={errorText !== null || undefined}
    >
      <label className={classes.label} htmlFor={`field-${line.name}`}>
        {name}
        {line.required && (
          <>
            <span aria-hidden="true"> *</span>
            <span className="cs-visually-hidden"> ({t('review.fields.required')})</span>
          </>
        )}
      </label>
      <div className={classes.value}>
        {highlighted && page && line.field?.box && (
          <div className={classes.crop}>
            <PageSnippet page={page} box={line.field.box} label={`${name}: ${line.field.raw}`} />
          </div>
        )}
        <ValueInput {...props} errorText={errorText} value={typed ?? savedValue} />
        <Text size="xs" c="dimmed" component="div" className={classes.about}>
          <Doubts {...props} name={name} value={savedValue} />
          {typed !== null ? (
            <>
              <span id={`source-${line.name}`}>
                {t('review.fields.was', {
                  value:
                    shownText(line.type, savedValue, i18n.language, line.name) ||
                    t('review.fields.empty'),
                })}
              </span>
              <UnstyledButton
                className={classes.undo}
                tabIndex={-1}
                onClick={props.onUndo}
                aria-label={t('review.fields.undo', { name })}
              >
                <Icon name="back" size={14} />
              </UnstyledButton>
            </>
          ) : (
            <Source line={line} />
          )}
          {errorText === null &&
            (highlighted || typed !== null) &&
            reading &&
            'read' in reading &&
            reading.read !== (typed ?? savedValue) && (
              <span className={classes.reading}>{reading.read}</span>
            )}
        </Text>
        <FieldSuggestion {...props} name={name} />
        <Alternatives
          name={name}
          field={line.name}
          values={props.alternatives}
          currency={props.currency}
          typed={typed}
          onChoose={(chosen) => {
            props.onChoose(chosen);
            document.getElementById(`field-${line.name}`)?.focus();
          }}
        />
      </div>
      {typed === null ? (
        <UnstyledButton
          className={classes.history}
          tabIndex={-1}
          onClick={props.onHistory}
          aria-label={t('differences.history.openWhat', { name })}
        >
          <Icon name="clock" size={14} />
        </UnstyledButton>
      ) : (
        <span />
      )}
    </div>
  );
}

/** The doubts about the value, and the buttons that resolve them. */
function Doubts({
  line,
  name,
  value,
  differs,
  confirmable,
  onConfirm,
  onUndetermined,
}: FieldLineProps & { name: string; value: string }) {
  const { t } = useTranslation();
  return (
    <>
      {line.doubts.length > 0 && (
        <span id={`doubts-${line.name}`} className={classes.doubts}>
          {line.doubts.map((doubt) => (
            <Badge key={doubt} tone="warn" icon="alert">
              {t(`review.doubts.${doubt}`)}
            </Badge>
          ))}
        </span>
      )}
      {differs && (
        <Badge tone="warn" icon="alert">
          {t('review.doubts.differs')}
        </Badge>
      )}
      {confirmable && line.doubts.includes('LOW_CONFIDENCE') && (
        <Button
          size="compact-xs"
          variant="default"
          tabIndex={-1}
          aria-label={t('differences.confirmWhat', { name, value })}
          onClick={onConfirm}
        >
          {t('differences.confirm')}
        </Button>
      )}
      {onUndetermined && (
        <Button
          size="compact-xs"
          variant="default"
          tabIndex={-1}
          aria-label={t('review.undetermined.what', { name })}
          onClick={onUndetermined}
        >
          {t('review.undetermined.mark')}
        </Button>
      )}
    </>
  );
}

/** The suggestion below the field. Entering it is a correction like one that is typed. */
function FieldSuggestion({
  line,
  suggestion,
  typed,
  currency,
  writable,
  name,
  onType,
}: FieldLineProps & { name: string }) {
  const { t } = useTranslation();
  if (!suggestion) return null;
  const { value } = suggestion;
  return (
    <Suggestion name={name} field={line.name} value={suggestion} currency={currency}>
      {writable && suggestion.value !== '' && typed !== value && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t('model.suggestion.enterWhat', { name, value })}
          onClick={() => {
            onType(value);
            document.getElementById(`field-${line.name}`)?.focus();
          }}
        >
          {t('model.suggestion.enter')}
        </Button>
      )}
    </Suggestion>
  );
}

function ValueInput({
  line,
  value,
  typed,
  errorText,
  writable,
  tabStop,
  currency,
  onFocus,
  onType,
}: FieldLineProps & { value: string; errorText: string | null }) {
  const { t, i18n } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [focused, setFocused] = useState(false);
  /** Countries, amounts and days look the same everywhere; while they are changed, they are what is saved. */
  const saved = shownText(line.type, value, i18n.language, line.name);
  const shown = (focused && writable) || typed !== null ? value : saved;
  // The text changes with the focus, and what is typed next replaces it, as in every other field.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the focus counts
  useLayoutEffect(() => {
    if (focused && shown !== saved) input.current?.select();
  }, [focused]);
  const inputProps = {
    id: `field-${line.name}`,
    'data-field': line.name,
    tabIndex: tabStop ? 0 : -1,
    value: shown,
    error: errorText,
    onFocus: () => {
      setFocused(true);
      onFocus();
    },
    onBlur: () => setFocused(false),
    // Mantine sets the attribute itself, without what is not its own.
    attributes: { input: { 'aria-describedby': describedBy(line, errorText, currency) } },
    size: 'xs' as const,
  };
  if (line.type === 'COUNTRY' && writable) {
    return (
      <Autocomplete
        {...inputProps}
        ref={input}
        data={countryNames(i18n.language)}
        limit={20}
        maxLength={FieldInput.value}
        autoComplete="off"
        placeholder={t('review.noCountry')}
        onChange={onType}
      />
    );
  }
  if ((line.type === 'CHOICE' || line.type === 'BOOLEAN') && writable) {
    return (
      <NativeSelect
        {...inputProps}
        value={value}
        data={[{ value: '', label: '—' }, ...choicesOf(t, i18n.language, line)]}
        onChange={(event) => onType(event.currentTarget.value)}
      />
    );
  }
  const uppercase = line.type === 'CURRENCY' || line.type === 'IBAN' || line.type === 'VAT_ID';
  return (
    <TextInput
      {...inputProps}
      ref={input}
      value={writable ? shown : choiceLabel(t, i18n.language, line, shown)}
      readOnly={!writable}
      maxLength={Math.min(line.maxLength, FieldInput.value)}
      autoComplete="off"
      spellCheck={false}
      inputMode={line.type === 'MONEY' || line.type === 'NUMBER' ? 'decimal' : 'text'}
      classNames={
        line.type === 'TEXT'
          ? {}
          : { input: `${classes.figures} ${line.type === 'IBAN' ? classes.account : ''}` }
      }
      rightSection={
        line.type === 'MONEY' && currency ? (
          <span id={`unit-${line.name}`} className={classes.unit}>
            {currency}
          </span>
        ) : undefined
      }
      rightSectionWidth={line.type === 'MONEY' ? 52 : undefined}
      onChange={(event) =>
        onType(uppercase ? event.currentTarget.value.toUpperCase() : event.currentTarget.value)
      }
    />
  );
}

/** The ids of what is spoken after the value: its fault, its currency, its doubts and its source. */
function describedBy(line: Line, errorText: string | null, currency: string | null): string {
  return [
    errorText === null ? '' : `field-${line.name}-error`,
    line.type === 'MONEY' && currency ? `unit-${line.name}` : '',
    line.doubts.length > 0 ? `doubts-${line.name}` : '',
    `source-${line.name}`,
  ]
    .filter((id) => id !== '')
    .join(' ');
}

const compact = (text: string) => text.replace(/\s/g, '').toUpperCase();

/** The source of the value and its confidence. */
function Source({ line }: { line: Line }) {
  const { t, i18n } = useTranslation();
  const { field } = line;
  if (!field || (field.raw === '' && field.normalised === '')) return null;
  // The confidence of every value of a language model is the same, so it says nothing about this one.
  const extracted = field.source === 'OCR';
  const parts = [
    t(`caseLabels.sources.${field.source}`),
    field.page > 0 ? t('review.fields.onPage', { number: field.page }) : '',
    extracted
      ? t('review.fields.confidence', { share: rightText(field.confidence, i18n.language) })
      : '',
    field.source !== 'HUMAN' &&
    field.raw !== '' &&
    field.normalised !== '' &&
    compact(field.raw) !== compact(field.normalised)
      ? t('review.fields.foundAs', { raw: field.raw })
      : '',
  ];
  return <span id={`source-${line.name}`}>{parts.filter((part) => part !== '').join(' · ')}</span>;
}

function faultMessage(
  t: TFunction<'translation'>,
  reading: Extract<Reading, { fault: unknown }>,
): string {
  return reading.fault === 'digits'
    ? t('review.faults.digits', { count: reading.digits ?? 0 })
    : t(`review.faults.${reading.fault}`);
}
