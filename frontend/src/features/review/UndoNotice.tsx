// The newest decision that can still be undone, with the seconds that are left, and the earlier ones on
// demand. The key z undoes the newest.
import { Button, CloseButton, Group, Text, UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { dialogIsOpen, isTyping } from '../../lib/page-keys';
import { useSecondsLeft } from '../../lib/seconds-left';
import { useStore } from '../../lib/store';
import { forgetUndo, type UndoableDecision, undoableDecisions } from '../../lib/undoable';
import { shortcutProps } from '../../ui/shortcut';
import { RefusalAlert } from '../../ui/states';
import { emptyDraft, unsentDrafts } from './draft';
import { ClaimUndone, UndoReview } from './undo.graphql';
import classes from './undo.module.css';

export function UndoNotice() {
  const { t } = useTranslation();
  const decisions = useStore(undoableDecisions);
  const { ref: place, height } = useElementSize();
  const [listed, setListed] = useState(false);
  const newest = decisions.at(-1);
  const earlier = decisions.slice(0, -1).reverse();
  const shown = newest !== undefined;
  useEffect(() => {
    const { style } = document.documentElement;
    if (shown && height > 0) style.setProperty('--undo-height', `${Math.ceil(height) + 12}px`);
    return () => void style.removeProperty('--undo-height');
  }, [shown, height]);
  if (!newest) return null;
  return (
    <section ref={place} className={classes.notices} aria-label={t('undo.label')}>
      {/* Also while they are not listed, because the time of each ends. */}
      <div id="undo-earlier" className={classes.earlier} hidden={!listed || earlier.length === 0}>
        {earlier.map((decision) => (
          <Entry key={decision.reviewId} decision={decision} newest={false} />
        ))}
      </div>
      <Entry key={newest.reviewId} decision={newest} newest>
        {earlier.length > 0 && (
          <UnstyledButton
            className={classes.more}
            aria-expanded={listed}
            aria-controls="undo-earlier"
            onClick={() => setListed(!listed)}
          >
            {t(listed ? 'undo.fewer' : 'undo.more', { count: earlier.length })}
          </UnstyledButton>
        )}
      </Entry>
    </section>
  );
}

function Entry({
  decision,
  newest,
  children,
}: {
  decision: UndoableDecision;
  newest: boolean;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const { reviewId, reference } = decision;
  const seconds = useSecondsLeft(decision.until);
  const undo = useUndo(decision);
  const { refused } = undo;
  useEffect(() => {
    if (seconds === 0 && !undo.busy && !refused) forgetUndo(reviewId);
  }, [seconds, undo.busy, refused, reviewId]);
  const available = seconds > 0 && !refused;
  useUndoKey(newest && available, undo.run);
  return (
    <div className={`cs-card ${classes.notice}`}>
      <Group gap={4} justify="space-between">
        {/* The seconds are outside of it, so that a screen reader does not count them aloud. */}
        <Text size="sm" role="status">
          {t('undo.decided', { reference })}
          {newest && available && <span className="cs-visually-hidden"> {t('undo.keyHint')}</span>}
        </Text>
        <Group gap={4} wrap="nowrap">
          {available && (
            <Button
              size="compact-sm"
              variant="default"
              loading={undo.busy}
              {...(newest && shortcutProps('z'))}
              onClick={undo.run}
            >
              {t('undo.undo', { count: seconds })}
              <span className="cs-visually-hidden"> {reference}</span>
            </Button>
          )}
          <CloseButton
            size="sm"
            aria-label={t('undo.close', { reference })}
            onClick={() => forgetUndo(reviewId)}
          />
        </Group>
      </Group>
      {children}
      <RefusalAlert refusals={undo.refusals} error={undo.error} />
    </div>
  );
}

/** Undoes the decision, claims the review that is open again, and opens it with its draft. */
function useUndo({ reviewId, reason }: UndoableDecision) {
  const navigate = useNavigate();
  const undo = useCommand(UndoReview, (data) => data.undoDecision);
  const claim = useCommand(ClaimUndone, (data) => data.claimReview);
  const running = useRef(false);
  const run = async () => {
    if (running.current) return;
    running.current = true;
    const undone = await undo.run({ reviewId });
    if (undone?.review) {
      const { id } = undone.review;
      if (reason !== '') unsentDrafts.set(id, { ...emptyDraft, reason });
      // If another person may claim it first, its page says so.
      await claim.run({ reviewId: id, expectedVersion: null });
      forgetUndo(reviewId);
      void navigate({ to: '/reviews/$id', params: { id } });
    }
    running.current = false;
  };
  return {
    run: () => void run(),
    busy: undo.busy || claim.busy,
    refused: undo.refusals.length > 0,
    refusals: undo.refusals,
    error: undo.error,
  };
}

function useUndoKey(active: boolean, run: () => void): void {
  const current = useRef(run);
  useEffect(() => {
    current.current = run;
  });
  useEffect(() => {
    if (!active) return;
    const handleKey = (event: KeyboardEvent) => {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
      if (event.key !== 'z' || !plain || event.defaultPrevented) return;
      if (isTyping(event.target) || dialogIsOpen()) return;
      event.preventDefault();
      current.current();
    };
    window.addEventListener('keydown', handleKey);
    return () => window.removeEventListener('keydown', handleKey);
  }, [active]);
}
