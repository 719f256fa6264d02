// The desk of one review: its head, the pages on one side, fields, findings and the decision on the other.
import { SegmentedControl } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { CaseEventLine } from '../../graphql/live';
import { fieldWords } from '../../lib/words';
import { KeyHelp } from '../../ui/KeyHelp';
import { PageImage } from '../../ui/PageImage';
import { usePageView } from '../../ui/page-view';
import { EmptyState, RefusalAlert } from '../../ui/states';
import { ConflictPanel } from './ConflictPanel';
import { DecisionPanel } from './DecisionPanel';
import { FieldForm } from './FieldForm';
import { Findings } from './Findings';
import { Head } from './Head';
import { NameChoice } from './NameChoice';
import classes from './review.module.css';
import { boxesOf, type ReadableReview, type ReviewWithReasons } from './review-facts';
import { Standing } from './Standing';
import { AskSheet, ConfirmSaveSheet } from './sheets';
import { useDeskKeys } from './use-desk-keys';
import { useDraft } from './use-draft';
import { useHeartbeat } from './use-heartbeat';
import { useName } from './use-name';
import { useNext } from './use-next';
import { useReview } from './use-review';

interface DeskProps {
  review: ReadableReview;
  /** The draft as the server has it. */
  stored: unknown;
  /** With why each button can be pressed or not, and whose names were lent. */
  whole: ReviewWithReasons;
  me: string | null;
  events: readonly CaseEventLine[];
  reread: () => void;
}

export function Desk({ review, stored, whole, me, events, reread }: DeskProps) {
  const { t } = useTranslation();
  const name = useName(whole, review.status === 'CLAIMED' && review.assignee?.id === me);
  const { reasons } = name;
  const desk = useReview(review, me, events, reread, name.chosen?.id ?? null);
  const { snapshot, send } = desk;
  const [lit, setLit] = useState<string | null>(null);
  const [pane, setPane] = useState<'fields' | 'pages'>('fields');
  const view = usePageView();
  const next = useNext(review.id);
  const lose = () => {
    send({ type: 'GONE', holder: null });
    reread();
  };
  const lost = useRef(lose);
  useEffect(() => {
    lost.current = lose;
  });
  const onLost = useMemo(() => () => lost.current(), []);
  const held = snapshot.context.seen.standing === 'mine' && !snapshot.matches('done');
  const draft = useDraft({ reviewId: review.id, snapshot, stored, send, onLost });
  useHeartbeat(review.id, held, review.claimUntil, onLost);
  const pick = (name: string) => {
    flushSync(() => setPane('fields')); // hidden, they could not be focused
    document.getElementById(`field-${name}`)?.focus();
  };
  const keys = useDeskKeys({ desk, view, next, pick });
  const boxes = boxesOf(review.case.fieldForm, (line) => fieldWords(t, line.name));
  const pages = review.case.document?.pages ?? [];
  return (
    <>
      <Head review={review} desk={desk} reasons={reasons} />
      <Standing desk={desk} review={review} reasons={reasons} me={me} next={next} />
      {!snapshot.matches('done') && !snapshot.matches('closed') && (
        <NameChoice name={name} disabled={!snapshot.matches('viewing') && !snapshot.matches('mine')} />
      )}
      <SegmentedControl
        className={classes.panes}
        fullWidth
        aria-label={t('review.panes.label')}
        value={pane}
        onChange={(value) => setPane(value as 'fields' | 'pages')}
        data={[
          { value: 'fields', label: t('review.panes.fields') },
          { value: 'pages', label: t('review.panes.pages') },
        ]}
      />
      <div className={classes.desk} data-pane={pane}>
        <div className={classes.pages}>
          {pages.length === 0 ? (
            <EmptyState icon="file" title={t('review.view.none')} />
          ) : (
            <PageImage
              pages={pages}
              boxes={boxes}
              lit={lit}
              onPick={pick}
              view={view}
              label={t('review.view.label')}
              words={{
                smaller: t('review.view.smaller'),
                larger: t('review.view.larger'),
                fitWidth: t('review.view.fitWidth'),
                fitPage: t('review.view.fitPage'),
                rotate: t('review.view.rotate'),
              }}
            />
          )}
        </div>
        <div className={classes.work}>
          <ConflictPanel desk={desk} />
          <Answer desk={desk} />
          <FieldForm review={review} desk={desk} draft={draft} lit={lit} onLight={setLit} />
          <Findings findings={review.case.findings} form={review.case.fieldForm} onPick={pick} />
          <DecisionPanel desk={desk} reasons={reasons} />
        </div>
      </div>
      <AskSheet desk={desk} review={review} />
      <ConfirmSaveSheet desk={desk} />
      <KeyHelp keys={keys} />
    </>
  );
}

/** Why the last command was not done. */
function Answer({ desk: { snapshot } }: { desk: ReturnType<typeof useReview> }) {
  const { refusals, failure } = snapshot.context;
  if (snapshot.matches({ mine: 'confirming' })) return null;
  if (failure) return <RefusalAlert refusals={[]} error={errorOf(failure)} />;
  return <RefusalAlert refusals={refusals} />;
}

/** A failure in the form in which the client reports it. */
function errorOf(failure: {
  code: string;
  message: string;
  wayOut?: string | undefined;
  requestId?: string | undefined;
}) {
  if (failure.code === 'Network') return { graphQLErrors: [] };
  const { message, ...extensions } = failure;
  return { graphQLErrors: [{ message, extensions }] };
}
