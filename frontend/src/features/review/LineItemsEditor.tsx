// The form that changes the line items of the document under review, with their sums beside the amounts of
// the document, and rows taken from a region of the page.
import { Button, Group, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import { groupedAmount } from '../../lib/money';
import { failureOf } from '../../lib/refusals';
import { ButtonWithReason } from '../../ui/buttons';
import { nearlyText } from '../../ui/lines/LineItemsPanel';
import type { Taken } from '../../ui/pages/use-word-picker';
import { Notice, RefusalAlert } from '../../ui/states';
import { LineGrid } from './LineGrid';
import { LinesPreview } from './LinesPreview';
import { maxLineDraft } from './line-draft';
import classes from './line-grid.module.css';
import type { StoredItem } from './line-rows';
import { ReviewLineItems } from './lines.graphql';
import type { PageTable } from './lines-from-page';
import { tableOf } from './lines-from-page';
import type { ReadableReview } from './review-facts';
import { columnLabels, useLineItems } from './use-line-items';
import type { ReviewWorkspaceState } from './use-review';

export interface LineItemsEditorProps {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  /** Registers who gets the words of the next region instead of a field; null is no one. */
  onTaker: (taker: ((taken: Taken) => void) | null) => void;
  onClose: (saved: boolean) => void;
}

/** Loads all items, and again after another change of them. */
export function LineItemsEditor(props: LineItemsEditorProps) {
  const { t } = useTranslation();
  const { review } = props;
  const client = useClient();
  const variables = { id: review.id };
  const options = { requestPolicy: 'network-only' } as const;
  const [{ data, error }] = useQuery({ query: ReviewLineItems, variables, ...options });
  const changedAt = review.case.lineItems.corrected?.at ?? '';
  const [loadedAt, setLoadedAt] = useState(changedAt);
  const [reloaded, setReloaded] = useState<typeof data>();
  const found = (reloaded ?? data)?.review?.case?.lineItems;
  // The form begins again when the items are there, not when they are asked for.
  const reload = async () => {
    const answer = await client.query(ReviewLineItems, variables, options).toPromise();
    if (!answer.data) return;
    setReloaded(answer.data);
    setLoadedAt(changedAt);
  };
  if (error) return <RefusalAlert refusals={[]} failure={failureOf(error)} />;
  if (!found) return <Text size="sm">{t('lines.edit.loading')}</Text>;
  return (
    <LineItemsForm
      key={loadedAt}
      {...props}
      items={found.items}
      basis={`${loadedAt}#${found.items.length}`}
      currency={formValue(review, 'currency') || found.currency}
      adjustment={found.adjustment?.amount ?? ''}
      outdated={changedAt === loadedAt ? null : () => void reload()}
    />
  );
}

const formValue = (review: ReadableReview, name: string): string =>
  review.case.fieldForm.find((line) => line.name === name)?.field?.normalised ?? '';

interface FormProps extends LineItemsEditorProps {
  items: readonly StoredItem[];
  /** Names the state of the items. */
  basis: string;
  currency: string;
  adjustment: string;
  /** Loads the items again after they were changed meanwhile; null if they were not. */
  outdated: (() => void) | null;
}

function LineItemsForm({ review, workspace, onTaker, onClose, outdated, ...given }: FormProps) {
  const { t } = useTranslation();
  const lines = useLineItems({
    ...given,
    draft: workspace.snapshot.context.lines,
    net: formValue(review, 'net'),
    total: formValue(review, 'total'),
  });
  const tooLong = useLineDraft(lines, workspace.send);
  const [drawing, setDrawing] = useState(false);
  const [preview, setPreview] = useState<{ table: PageTable | null; page: number } | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!drawing) return;
    onTaker(({ words, page }) => {
      setDrawing(false);
      setPreview({ table: tableOf(words), page });
    });
    const stop = (event: KeyboardEvent) => event.key === 'Escape' && setDrawing(false);
    window.addEventListener('keydown', stop);
    return () => {
      window.removeEventListener('keydown', stop);
      onTaker(null);
    };
  }, [drawing, onTaker]);
  const labels = columnLabels((column) =>
    column === 'unit' || column === 'taxRate' ? t(`lines.edit.${column}`) : t(`lines.${column}`),
  );
  const { fault } = lines;
  const disabledReason =
    given.currency === ''
      ? t('lines.edit.noCurrency')
      : fault
        ? t('lines.edit.fault', {
            row: fault.row,
            column: labels[fault.column],
            why: t(`lines.edit.faults.${fault.fault}`),
          })
        : lines.changed
          ? null
          : t('lines.edit.unchanged');
  const save = async () => {
    setBusy(true);
    const saved = await workspace.correctLineItems(lines.input());
    setBusy(false);
    if (saved) close(true);
  };
  const close = (saved: boolean) => {
    workspace.send({ type: 'WRITE_LINES', text: '' });
    onClose(saved);
  };
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={`cs-card ${classes.panel}`} aria-labelledby="line-items-form">
      <Title order={2} id="line-items-form" ref={heading} tabIndex={-1}>
        {t('lines.title')}
      </Title>
      {outdated && (
        <Notice tone="warn" icon="alert" live>
          <Text size="sm">{t('lines.edit.changedMeanwhile')}</Text>
          <Button size="xs" variant="default" onClick={outdated}>
            {t('lines.edit.loadAgain')}
          </Button>
        </Notice>
      )}
      {lines.apart > 0 && (
        <Notice tone="warn" icon="alert" live>
          <Text size="sm">{t('lines.edit.apart', { count: lines.apart })}</Text>
        </Notice>
      )}
      {tooLong && (
        <Notice tone="warn" icon="alert" live>
          <Text size="sm">{t('lines.edit.notKept')}</Text>
        </Notice>
      )}
      {lines.rows.length > 0 && (
        <LineGrid
          rows={lines.rows}
          digits={lines.digits}
          active={lines.active}
          onActive={lines.setActive}
          onChange={lines.change}
          onAdd={lines.add}
          onRemove={lines.remove}
          labels={labels}
        />
      )}
      <Sums sums={lines.sums} currency={given.currency} />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => lines.add(lines.rows.length === 0 ? -1 : lines.active.row)}
        >
          {t('lines.edit.addRow')}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={lines.rows.length === 0}
          onClick={() => lines.remove(lines.active.row)}
        >
          {t('lines.edit.removeRow')}
        </Button>
        {(review.case.document?.pages.length ?? 0) > 0 && (
          <Button
            size="xs"
            variant={drawing ? 'filled' : 'default'}
            aria-pressed={drawing}
            onClick={() => setDrawing(!drawing)}
          >
            {t('lines.edit.fromPage')}
          </Button>
        )}
      </Group>
      {drawing && (
        <Text size="sm" role="status">
          {t('lines.edit.draw')}
        </Text>
      )}
      {preview && (
        <LinesPreview
          table={preview.table}
          page={preview.page}
          labels={labels}
          onClose={() => setPreview(null)}
          onTake={(rows, replace) => {
            lines.take(rows, replace);
            setPreview(null);
          }}
        />
      )}
      <Text size="sm" c="dimmed">
        {t('lines.edit.meaning')}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => close(false)}>
          {t(lines.changed ? 'lines.edit.cancel' : 'lines.edit.close')}
        </Button>
        <ButtonWithReason
          disabledReason={outdated ? t('lines.edit.changedMeanwhile') : disabledReason}
          loading={busy}
          onClick={() => void save()}
        >
          {t('lines.edit.save')}
        </ButtonWithReason>
      </Group>
    </section>
  );
}

/** How long the rows stay as they are before they are written to the draft, in milliseconds. */
const draftDelay = 250;

/** Writes the rows to the draft of the review; true if they are too many for it. */
function useLineDraft(
  { rows, draft }: ReturnType<typeof useLineItems>,
  send: ReviewWorkspaceState['send'],
): boolean {
  const [tooLong, setTooLong] = useState(false);
  const latest = useRef(draft);
  latest.current = draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: written when the rows change
  useEffect(() => {
    const timer = setTimeout(() => {
      const text = latest.current();
      setTooLong(text.length > maxLineDraft);
      send({ type: 'WRITE_LINES', text: text.length > maxLineDraft ? '' : text });
    }, draftDelay);
    return () => clearTimeout(timer);
  }, [rows, send]);
  return tooLong;
}

function Sums({
  sums,
  currency,
}: {
  sums: ReturnType<typeof useLineItems>['sums'];
  currency: string;
}) {
  const { t, i18n } = useTranslation();
  const shown = (amount: string) => (amount === '' ? '–' : groupedAmount(amount, i18n.language));
  const comparison = !sums.differences
    ? null
    : sums.equals
      ? nearlyText(
          t,
          shown,
          sums.equals === 'net' ? 'NET' : 'TOTAL',
          sums.differences[sums.equals] ?? '',
        )
      : t('lines.edit.difference', {
          net: shown(sums.differences.net ?? ''),
          total: shown(sums.differences.total ?? ''),
        });
  return (
    <div role="status">
      <Text size="sm" fw={600}>
        {t('lines.edit.sum', { count: sums.count })}
        {': '}
        {sums.sum === null ? t('lines.edit.unknownSum') : `${shown(sums.sum)} ${currency}`}
      </Text>
      {comparison && <Text size="sm">{comparison}</Text>}
    </div>
  );
}
