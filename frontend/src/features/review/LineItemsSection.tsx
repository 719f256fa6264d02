// The line items on the review page: the table, and the form that changes them, which is loaded when it is
// opened.

import { Button } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { whenOnline } from '../../lib/when-online';
import { LineItemsPanel } from '../../ui/lines/LineItemsPanel';
import type { Taken } from '../../ui/pages/use-word-picker';
import type { ReadableReview } from './review-facts';
import type { ReviewWorkspaceState } from './use-review';

const Editor = lazy(() =>
  whenOnline(async () => ({ default: (await import('./LineItemsEditor')).LineItemsEditor })),
);

interface LineItemsSectionProps {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  onTaker: (taker: ((taken: Taken) => void) | null) => void;
}

export function LineItemsSection({ review, workspace, onTaker }: LineItemsSectionProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [saved, setSaved] = useState(false);
  const { lineItems, fieldForm, document } = review.case;
  // Other documents, such as applications, have no amount that items could add up to.
  const canChange =
    workspace.snapshot.can({ type: 'STATE' }) && fieldForm.some(({ name }) => name === 'net');
  const drafted = canChange && workspace.snapshot.context.lines !== '';
  // A draft of an earlier visit opens the form again.
  useEffect(() => {
    if (drafted) setOpen(true);
  }, [drafted]);
  const cut = lineItems.corrected === null && lineItems.found > maxItems;
  const close = (done: boolean) => {
    setSaved(done);
    setOpen(false);
  };
  const action = canChange && !cut && (
    <div>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {t(lineItems.found === 0 ? 'lines.edit.add' : 'lines.edit.open')}
      </Button>
    </div>
  );
  return (
    <>
      <span className="cs-visually-hidden" role="status">
        {saved && !open ? t('lines.edit.saved') : ''}
      </span>
      {open ? (
        <Suspense>
          <Editor review={review} workspace={workspace} onTaker={onTaker} onClose={close} />
        </Suspense>
      ) : (
        <LineItemsPanel
          lines={lineItems}
          form={fieldForm}
          hasPages={(document?.pages.length ?? 0) > 0}
          action={action}
        />
      )}
    </>
  );
}

/** The most items that the server keeps; items beyond them cannot be changed. */
const maxItems = 5000;
