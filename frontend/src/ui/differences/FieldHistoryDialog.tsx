// The history of a field: everyone who stated a value, when, and where it is on the page.
import { Modal, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AssertedValue } from '../../lib/differences';
import { rightText } from '../../lib/format';
import { fieldLabel } from '../../lib/labels';
import type { Failure } from '../../lib/refusals';
import { type PageScan, PageSnippet } from '../PageImage';
import { Badge } from '../StatusBadge';
import { ErrorState, LoadingState } from '../states';
import { AssertedText, Origin } from './AssertedText';
import classes from './differences.module.css';

interface FieldHistoryDialogProps {
  /** The field whose history is open; null if none is. */
  field: string | null;
  /** Oldest first; null while loading. */
  values: readonly AssertedValue[] | null;
  /** The revision of the document that `pages` show. */
  revision: number;
  pages: readonly PageScan[];
  failure: Failure | null;
  currency: string | null;
  close: () => void;
  retry: () => void;
}

export function FieldHistoryDialog({
  field,
  values,
  revision,
  pages,
  failure,
  currency,
  close,
  retry,
}: FieldHistoryDialogProps) {
  const { t } = useTranslation();
  const name = field === null ? '' : fieldLabel(t, field);
  return (
    <Modal
      opened={field !== null}
      onClose={close}
      title={t('differences.history.title', { name })}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      {failure && <ErrorState error={failure} onRetry={retry} />}
      {!failure && values === null && <LoadingState lines={3} />}
      {values?.length === 0 && <Text c="dimmed">{t('differences.history.none')}</Text>}
      <ol className={classes.entries}>
        {values?.map((asserted, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever appended
            key={index}
            className={classes.entry}
            data-resolved={asserted.resolved || undefined}
            data-suggestion={asserted.suggestion || undefined}
          >
            <div>
              <strong>
                <AssertedText field={field ?? ''} asserted={asserted} currency={currency} />
              </strong>{' '}
              {asserted.suggestion && (
                <Badge tone="warn" icon="alert">
                  {t('differences.history.suggestion')}
                </Badge>
              )}
              {asserted.resolved && <Badge tone="calm">{t('differences.history.resolved')}</Badge>}
            </div>
            <Text size="sm" c="dimmed">
              <Origin asserted={asserted} />
              <Where asserted={asserted} />
            </Text>
            <Snippet
              asserted={asserted}
              page={
                asserted.documentRevision === revision
                  ? pages.find(({ number }) => number === asserted.page)
                  : undefined
              }
              label={`${name}: ${asserted.raw}`}
            />
          </li>
        ))}
      </ol>
    </Modal>
  );
}

/** The page, the confidence of a reading, and the text on the document if it differs. */
function Where({ asserted }: { asserted: AssertedValue }) {
  const { t, i18n } = useTranslation();
  // The confidence of every value of a language model is the same, so it says nothing about this one.
  const read = asserted.source === 'OCR';
  const parts = [
    asserted.page > 0 ? t('ui.page', { number: asserted.page }) : '',
    read
      ? t('differences.history.confidence', {
          share: rightText(asserted.confidence, i18n.language),
        })
      : '',
    asserted.raw !== asserted.value && asserted.value !== ''
      ? t('differences.history.written', { raw: asserted.raw })
      : '',
  ].filter((part) => part !== '');
  return <>{parts.map((part) => ` · ${part}`).join('')}</>;
}

function Snippet({
  asserted,
  page,
  label,
}: {
  asserted: AssertedValue;
  page: PageScan | undefined;
  label: string;
}) {
  if (!page || !asserted.box || asserted.source === 'HUMAN') return null;
  return <PageSnippet page={page} box={asserted.box} label={label} />;
}
