// One field: its value, what is doubtful about it, where it came from, and how what is typed would be understood.
import { NativeSelect, Text, TextInput, UnstyledButton } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { FieldInput } from '../../graphql/generated/bounds';
import { shareText } from '../../lib/format';
import type { Refusal } from '../../lib/refusals';
import { fieldWords, refusalWords } from '../../lib/words';
import { Icon } from '../../ui/Icon';
import { type PagePicture, PageSnippet } from '../../ui/PageImage';
import { Badge } from '../../ui/StatusBadge';
import { countryCodes } from './countries';
import { type Reading, readingOf } from './field-text';
import classes from './review.module.css';
import { type Line, textOf } from './review-facts';

interface FieldLineProps {
  line: Line;
  pages: readonly PagePicture[];
  /** What is typed and not saved; null when nothing is. */
  typed: string | null;
  currency: string | null;
  writable: boolean;
  lit: boolean;
  /** The one field that Tab enters the form at. */
  stop: boolean;
  refusal: Refusal | null;
  onFocus: () => void;
  onType: (value: string) => void;
  onUndo: () => void;
}

export function FieldLine(props: FieldLineProps) {
  const { t, i18n } = useTranslation();
  const { line, typed, lit, refusal } = props;
  const name = fieldWords(t, line.name);
  const saved = textOf(line);
  const reading = readingOf(line.type, typed ?? saved, props.currency, i18n.language);
  const wrong = refusal
    ? refusalWords(t, i18n.language, refusal)
    : typed !== null && reading && 'fault' in reading
      ? faultWords(t, reading)
      : null;
  const page = line.field?.box ? props.pages.find(({ number }) => number === line.field?.page) : undefined;
  return (
    <div
      className={classes.field}
      data-needs={line.needsPerson || undefined}
      data-lit={lit || undefined}
      data-typed={typed !== null || undefined}
    >
      <div className={classes.label}>
        <label htmlFor={`field-${line.name}`}>
          {name}
          {line.required && <span className={classes.required}> ({t('review.fields.required')})</span>}
        </label>
        {line.doubts.map((doubt) => (
          <Badge key={doubt} tone="warn" icon="alert">
            {t(`review.doubts.${doubt}`)}
          </Badge>
        ))}
      </div>
      <div className={classes.value}>
        {lit && page && line.field?.box && (
          <div className={classes.crop}>
            <PageSnippet page={page} box={line.field.box} label={`${name}: ${line.field.raw}`} />
          </div>
        )}
        <ValueInput {...props} wrong={wrong} value={typed ?? saved} />
        <Text size="xs" c="dimmed" component="div" id={`about-${line.name}`} className={classes.about}>
          {typed !== null ? (
            <>
              <span>{t('review.fields.was', { value: saved || t('review.fields.empty') })}</span>
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
          {wrong === null &&
            (lit || typed !== null) &&
            reading &&
            'read' in reading &&
            reading.read !== (typed ?? saved) && <span className={classes.reading}>{reading.read}</span>}
        </Text>
      </div>
    </div>
  );
}

function ValueInput({
  line,
  value,
  wrong,
  writable,
  stop,
  currency,
  onFocus,
  onType,
}: FieldLineProps & { value: string; wrong: string | null }) {
  const { t, i18n } = useTranslation();
  const shared = {
    id: `field-${line.name}`,
    'data-field': line.name,
    tabIndex: stop ? 0 : -1,
    value,
    error: wrong,
    onFocus,
    'aria-describedby': `about-${line.name}`,
    size: 'sm' as const,
  };
  if (line.type === 'COUNTRY' && writable) {
    const names = new Intl.DisplayNames(i18n.language, { type: 'region' });
    const codes = value === '' || countryCodes.includes(value) ? countryCodes : [value, ...countryCodes];
    const known = codes.map((code) => ({
      value: code,
      label: /^[A-Z]{2}$/.test(code) ? `${names.of(code)} (${code})` : code,
    }));
    known.sort((a, b) => a.label.localeCompare(b.label, i18n.language));
    return (
      <NativeSelect
        {...shared}
        onChange={(event) => onType(event.currentTarget.value)}
        data={[{ value: '', label: t('review.noCountry') }, ...known]}
      />
    );
  }
  const capitals = line.type === 'CURRENCY' || line.type === 'IBAN' || line.type === 'VAT_ID';
  return (
    <TextInput
      {...shared}
      readOnly={!writable}
      maxLength={FieldInput.value}
      autoComplete="off"
      spellCheck={false}
      inputMode={line.type === 'MONEY' ? 'decimal' : 'text'}
      placeholder={line.type === 'DATE' ? '2026-11-30' : line.type === 'CURRENCY' ? 'EUR' : undefined}
      classNames={line.type === 'TEXT' ? {} : { input: classes.figures ?? '' }}
      rightSection={line.type === 'MONEY' && currency ? <span className={classes.unit}>{currency}</span> : undefined}
      rightSectionWidth={line.type === 'MONEY' ? 52 : undefined}
      onChange={(event) => onType(capitals ? event.currentTarget.value.toUpperCase() : event.currentTarget.value)}
    />
  );
}

const bare = (text: string) => text.replace(/\s/g, '').toUpperCase();

/** Where the value came from and how certain it is. */
function Source({ line: { field } }: { line: Line }) {
  const { t, i18n } = useTranslation();
  if (!field || (field.raw === '' && field.normalised === '')) return null;
  const machine = field.source === 'OCR' || field.source === 'LLM';
  const parts = [
    t(`life.sources.${field.source}`),
    field.page > 0 ? t('review.fields.onPage', { number: field.page }) : '',
    machine ? t('review.fields.confidence', { share: shareText(field.confidence, i18n.language) }) : '',
    field.raw !== '' && field.normalised !== '' && bare(field.raw) !== bare(field.normalised)
      ? t('review.fields.foundAs', { raw: field.raw })
      : '',
  ];
  return <span>{parts.filter((part) => part !== '').join(' · ')}</span>;
}

function faultWords(t: TFunction<'translation'>, reading: Extract<Reading, { fault: unknown }>): string {
  return reading.fault === 'digits'
    ? t('review.faults.digits', { count: reading.digits ?? 0 })
    : t(`review.faults.${reading.fault}`);
}
