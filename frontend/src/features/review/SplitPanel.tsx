// Splits the file of a case into documents by pages, and undoes a split in a part.
import { Button, Checkbox, Group, Modal, Stack, Text, Textarea, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MergePartsInput } from '../../graphql/generated/bounds';
import { foundBegins, pagesOf, pagesText, partsOf } from '../../lib/file-parts';
import { FormDialog } from '../../ui/FormDialog';
import { FileParts } from '../../ui/parts/FileParts';
import classes from '../../ui/parts/parts.module.css';
import type { ReadableReview } from './review-facts';
import { useParts } from './use-parts';

interface SplitPanelProps {
  review: ReadableReview;
  onBehalfOf: string | null;
  /** The user holds the claim, so that the file can be split. */
  canChange: boolean;
  reread: () => void;
}

/** The rule about a file with several documents. */
export const severalDocuments = 'several_documents';

/** The id of the control that asks for the pages of the parts. */
const askSplitId = 'case-split-ask';

/** Whether the user can split the file of the case by its pages. */
export const canSplitFile = (review: ReadableReview, canChange: boolean): boolean =>
  canChange && (review.case.document?.pages ?? []).length > 1 && review.case.order === null;

/** Shows the control that splits the file. */
export const showSplit = () => document.getElementById(askSplitId)?.focus();

export function SplitPanel({ review, onBehalfOf, canChange, reread }: SplitPanelProps) {
  const { t } = useTranslation();
  const parts = useParts(review, onBehalfOf, reread);
  const { state } = parts;
  const pages = review.case.document?.pages ?? [];
  const several = review.case.findings.find(({ rule }) => rule === severalDocuments);
  const found = foundBegins(several?.evidence ?? [], pages.length);
  const canSplit = canSplitFile(review, canChange);
  return (
    <>
      {state.result && <Result result={state.result} />}
      <FileParts links={review.case}>
        {canChange && review.case.parent && (
          <div>
            <Button variant="default" onClick={parts.askMerge}>
              {t('parts.merge.ask')}
            </Button>
          </div>
        )}
      </FileParts>
      {canSplit && (
        <section className={`cs-card ${classes.panel}`} aria-labelledby="case-split">
          <Title order={2} id="case-split">
            {t('parts.split.title')}
          </Title>
          <Text size="sm">{t(several ? 'parts.split.several' : 'parts.split.text')}</Text>
          <div>
            <Button
              id={askSplitId}
              variant={several ? 'filled' : 'default'}
              onClick={parts.askSplit}
            >
              {t('parts.split.ask')}
            </Button>
          </div>
        </section>
      )}
      {state.dialog === 'split' && <SplitDialog pages={pages} found={found} parts={parts} />}
      {state.dialog === 'merge' && <MergeDialog parts={parts} />}
    </>
  );
}

type Parts = ReturnType<typeof useParts>;

/** The new cases. The review has ended, so the only way on is the queue. */
function Result({ result }: { result: NonNullable<Parts['state']['result']> }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Modal
      opened
      onClose={() => void navigate({ to: '/queue' })}
      title={t('parts.doneTitle')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <Stack>
        <Text size="sm">{t('parts.done')}</Text>
        <ul className={classes.list}>
          {result.map(({ reference, pages }) => (
            <li key={reference}>
              {pages
                ? t('parts.newPart', { reference, ...pagesOf(pages) })
                : t('parts.newWhole', { reference })}
            </li>
          ))}
        </ul>
        <Group justify="flex-end">
          <Button renderRoot={(props) => <Link {...props} to="/queue" />}>
            {t('review.toQueue')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/**
 * One checkbox for each page after the first: a new document begins with it. Those that the reading
 * found are checked.
 */
function SplitDialog({
  pages,
  found,
  parts,
}: {
  pages: readonly { number: number; path: string }[];
  found: ReadonlySet<number>;
  parts: Parts;
}) {
  const { t } = useTranslation();
  const [begins, setBegins] = useState(found);
  const ranges = partsOf(pages.length, begins);
  const { busy, refusals, failure } = parts.state;
  const toggle = (page: number) => {
    const changed = new Set(begins);
    if (!changed.delete(page)) changed.add(page);
    setBegins(changed);
  };
  return (
    <FormDialog
      title={t('parts.split.title')}
      size="lg"
      disabledReason={ranges.length < 2 ? t('parts.split.chooseBegin') : null}
      busy={busy}
      confirmLabel={t('parts.split.send', { count: ranges.length })}
      refusals={refusals}
      failure={failure}
      onSend={() => parts.split(ranges)}
      onClose={parts.close}
    >
      <Text size="sm">{t(found.size > 0 ? 'parts.split.found' : 'parts.split.how')}</Text>
      <ul className={classes.pages} aria-label={t('parts.split.pages')}>
        {pages.map(({ number, path }) => (
          <li
            key={number}
            className={classes.page}
            data-begins={number === 1 || begins.has(number)}
          >
            <img
              className={classes.image}
              src={path}
              alt={t('parts.split.pageImage', { number })}
              loading="lazy"
            />
            {number === 1 ? (
              <Text size="sm">{t('parts.split.firstPage')}</Text>
            ) : (
              <Checkbox
                label={t('parts.split.begins', { number })}
                checked={begins.has(number)}
                onChange={() => toggle(number)}
              />
            )}
          </li>
        ))}
      </ul>
      <Text size="sm" aria-live="polite">
        {t('parts.split.preview', {
          count: ranges.length,
          parts: ranges.map(pagesText).join(t('caseLabels.next.comma')),
        })}
      </Text>
      <Text size="sm">{t('parts.split.meaning')}</Text>
    </FormDialog>
  );
}

function MergeDialog({ parts }: { parts: Parts }) {
  const { t } = useTranslation();
  const [reason, setReason] = useState('');
  const { busy, refusals, failure } = parts.state;
  return (
    <FormDialog
      title={t('parts.merge.title')}
      disabledReason={reason.trim() === '' ? t('ui.reasonNeeded') : null}
      busy={busy}
      confirmLabel={t('parts.merge.send')}
      refusals={refusals}
      failure={failure}
      onSend={() => parts.merge(reason.trim())}
      onClose={parts.close}
    >
      <Text size="sm">{t('parts.merge.meaning')}</Text>
      <Textarea
        data-autofocus
        autosize
        minRows={3}
        maxRows={10}
        maxLength={MergePartsInput.reason}
        label={t('parts.merge.reason')}
        required
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
