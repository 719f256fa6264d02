// The workspace of a review: the document on one side; fields, findings and decision on the other.
import { SegmentedControl, Text } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useFieldHistory } from '../../graphql/field-history';
import { AddNoteInput } from '../../graphql/generated/bounds';
import type { CaseEventLine } from '../../graphql/live';
import { useModelRuns } from '../../graphql/model-runs';
import { useNotes } from '../../graphql/notes';
import { addFieldLabels, labelIn } from '../../lib/field-labels';
import { usePageSubject } from '../../lib/page-subject';
import { StatedAttributes } from '../../ui/attributes/StatedAttributes';
import { CountriesPanel } from '../../ui/differences/CountriesPanel';
import { FieldHistoryDialog } from '../../ui/differences/FieldHistoryDialog';
import { KeyHelp } from '../../ui/KeyHelp';
import { ModelPanel } from '../../ui/model/ModelPanel';
import { NotesPanel } from '../../ui/notes/NotesPanel';
import { Correction } from '../../ui/order/Correction';
import { PageImage } from '../../ui/PageImage';
import { usePageView } from '../../ui/page-view';
import { EmptyState, Notice, RefusalAlert } from '../../ui/states';
import { ActingAsSelect } from './ActingAsSelect';
import { openRequirements } from './approval-requirements';
import { CompareDialog, type OtherDocument } from './CompareDialog';
import { ConflictPanel } from './ConflictPanel';
import { DecisionPanel, isStopped } from './DecisionPanel';
import { DifferentValues } from './DifferentValues';
import { ConfirmSaveDialog, DecisionDialog } from './dialogs';
import { FieldForm } from './FieldForm';
import { Findings } from './Findings';
import { LineItemsSection } from './LineItemsSection';
import { OtherReviews } from './OtherReviews';
import { ReviewBanner } from './ReviewBanner';
import { ReviewHeader } from './ReviewHeader';
import { ReviewOrder } from './ReviewOrder';
import { ReviewSupporting } from './ReviewSupporting';
import { recomputedOf } from './recomputed';
import classes from './review.module.css';
import {
  boxesOf,
  currencyOf,
  fieldsToCheck,
  type ReadableReview,
  type ReviewWithReasons,
} from './review-facts';
import { repairDuty, type Verdict } from './review-values';
import { canSplitFile, SplitPanel, showSplit } from './SplitPanel';
import { Splitter, useSideWidth } from './Splitter';
import { StatementDialogs, useStatements } from './StatementDialogs';
import { useActingAs } from './use-acting-as';
import { nextToCheck, useAdvance } from './use-advance';
import { useAlternatives } from './use-alternatives';
import { useAsk } from './use-ask';
import { useDraft } from './use-draft';
import { useFoldedFindings } from './use-folded-findings';
import { useHeartbeat } from './use-heartbeat';
import { useNextReview } from './use-next-review';
import { usePageWords } from './use-page-words';
import { useReview } from './use-review';
import { useReviewKeys } from './use-review-keys';
import { useSupporting } from './use-supporting';
import { useValueKeys } from './use-value-keys';

interface ReviewWorkspaceProps {
  review: ReadableReview;
  /** The draft stored on the server. */
  stored: unknown;
  /** The review with the availability of its actions and its delegators. */
  reviewWithReasons: ReviewWithReasons;
  me: string | null;
  events: readonly CaseEventLine[];
  reread: () => void;
  /** The server no longer shows the review to the user. */
  withdrawn: boolean;
}

export function ReviewWorkspace({
  review,
  stored,
  reviewWithReasons,
  me,
  events,
  reread,
  withdrawn,
}: ReviewWorkspaceProps) {
  const { t, i18n } = useTranslation();
  const actingAs = useActingAs(
    reviewWithReasons,
    review.status === 'CLAIMED' && review.assignee?.id === me,
  );
  const { reasons } = actingAs;
  usePageSubject(review.case.reference);
  const next = useNextReview(review.id, reread);
  const workspace = useReview({
    review,
    me,
    events,
    reread,
    onBehalfOf: actingAs.chosen?.id ?? null,
    next,
    withdrawn,
  });
  const { snapshot, send } = workspace;
  const [highlighted, setHighlighted] = useState<string | null>(null);
  const [pane, setPane] = useState<'fields' | 'pages'>('fields');
  const [compared, setCompared] = useState<OtherDocument | null>(null);
  const view = usePageView();
  const side = useSideWidth();
  const handleClaimLost = () => {
    send({ type: 'GONE', holder: null });
    reread();
  };
  const claimLostHandler = useRef(handleClaimLost);
  useEffect(() => {
    claimLostHandler.current = handleClaimLost;
  });
  const onClaimLost = useMemo(() => () => claimLostHandler.current(), []);
  const holdsClaim =
    snapshot.context.serverState.viewerStatus === 'mine' && !snapshot.matches('done');
  const draft = useDraft({ reviewId: review.id, snapshot, stored, send, onClaimLost });
  useHeartbeat(review.id, holdsClaim, review.claimUntil, onClaimLost);
  const focusField = (field: string) => {
    flushSync(() => setPane('fields')); // a hidden field cannot be focused
    document.getElementById(`field-${field}`)?.focus();
  };
  const history = useFieldHistory(review.case.id);
  const model = useModelRuns(review.case.id, review.case.version);
  const notes = useNotes(review.case.id);
  const writable = snapshot.can({ type: 'TYPE', name: '', value: '' });
  const unchecked = fieldsToCheck(review.case, me);
  const toCheck = new Set(unchecked.map(({ name }) => name));
  const lit =
    highlighted ??
    (writable || snapshot.matches('mine')
      ? nextToCheck(review.case.fieldForm, new Set(), toCheck)
      : null);
  const values = useValueKeys({ review, workspace, highlighted: lit, onHistory: history.open });
  const stopped = (verdict: Verdict) => isStopped(review, verdict);
  const supporting = useSupporting(review.case.id);
  const { ask, quick } = useAsk({
    review,
    supporting,
    workspace,
    next,
    me,
    onBehalfOf: actingAs.chosen?.id ?? null,
    stopped,
  });
  const advance = useAdvance({
    review,
    workspace,
    needsConfirmation: values.needsConfirmation,
    confirm: values.confirm,
    ask,
    toCheck,
    light: (field) =>
      flushSync(() => {
        setPane('fields'); // a hidden line cannot be focused
        setHighlighted(field);
      }),
    focusField,
  });
  const picker = usePageWords({ review, workspace, lit, focusField });
  const alternatives = useAlternatives(review, lit, picker.words, writable);
  const fold = useFoldedFindings();
  const { keys, refused } = useReviewKeys({
    workspace,
    ask,
    repairs: review.duty === repairDuty,
    abstains: review.committee?.canAbstain ?? false,
    toCheck,
    stopped,
    view,
    next,
    focusField,
    valueKeys: [...values.keys, ...fold.keys],
    advance,
    lit,
  });
  const statements = useStatements();
  useMemo(() => addFieldLabels(i18n, review.case.fieldForm), [i18n, review.case.fieldForm]);
  const boxes = boxesOf(review.case.fieldForm, (line) => labelIn(i18n.language, line));
  const pages = review.case.document?.pages ?? [];
  const explained = new Set(
    openRequirements(review.case.approvalRequirements).map(({ rule }) => rule),
  );
  return (
    <div className={classes.desk}>
      <ReviewHeader review={review} workspace={workspace} reasons={reasons} />
      <ReviewBanner workspace={workspace} review={review} reasons={reasons} me={me} next={next} />
      {!snapshot.matches('done') && !snapshot.matches('closed') && (
        <ActingAsSelect
          actingAs={actingAs}
          disabled={!snapshot.matches('viewing') && !snapshot.matches('mine')}
        />
      )}
      {/* Hidden and not removed: the dialog about the new cases of a split belongs to its panel. */}
      <div style={{ display: snapshot.context.withdrawn ? 'none' : 'contents' }}>
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
        <div
          className={classes.workspace}
          data-pane={pane}
          style={side.width === null ? undefined : ({ '--desk-side': `${side.width}px` } as object)}
        >
          <div className={classes.pages}>
            {picker.problem && (
              <div className={classes.takeProblem}>
                <Notice tone="warn" icon="alert" live>
                  <Text size="sm">{t(`review.take.${picker.problem}`)}</Text>
                </Notice>
              </div>
            )}
            {pages.length === 0 ? (
              <EmptyState icon="file" title={t('pages.none')} />
            ) : (
              <PageImage
                pages={pages}
                boxes={boxes}
                highlighted={lit}
                source={picker.source}
                onPick={focusField}
                view={view}
                label={t('pages.label')}
              />
            )}
          </div>
          <Splitter {...side} />
          <div className={classes.work}>
            <ConflictPanel workspace={workspace} form={review.case.fieldForm} />
            <CommandErrors workspace={workspace} />
            <Correction links={review.case} />
            <Findings
              findings={review.case.findings}
              assessed={review.case.assessed}
              form={review.case.fieldForm}
              caseId={review.case.id}
              listed={review.case.listedCases}
              explained={explained}
              onPick={focusField}
              onDistinct={snapshot.can({ type: 'STATE' }) ? statements.askDistinct : null}
              onCompare={setCompared}
              folded={fold.folded}
              onOpen={fold.onOpen}
              recomputed={recomputedOf(events)}
              onSplit={canSplitFile(review, snapshot.can({ type: 'STATE' })) ? showSplit : null}
            />
            <ReviewOrder review={review} workspace={workspace} reasons={reasons} me={me} />
            <StatedAttributes attributes={review.case.attributes} />
            <ReviewSupporting caseId={review.case.id} state={supporting} />
            <FieldForm
              review={review}
              workspace={workspace}
              draft={draft}
              highlighted={lit}
              toCheck={toCheck}
              alternatives={alternatives}
              onHighlight={(field) => {
                setHighlighted(field);
                if (field) fold.onField();
              }}
              onEnter={advance.enter}
              onConfirm={values.confirm}
              onUndetermined={review.duty === repairDuty ? statements.askUndetermined : null}
              onHistory={history.open}
            />
            <DifferentValues
              review={review}
              workspace={workspace}
              me={me}
              onHistory={history.open}
            />
            <LineItemsSection review={review} workspace={workspace} onTaker={picker.onTaker} />
            <OtherReviews review={review} />
            <CountriesPanel countries={review.case.countryRoles} />
            <ModelPanel {...model} />
            <NotesPanel {...notes} maxLength={AddNoteInput.text} />
            <SplitPanel
              review={review}
              onBehalfOf={actingAs.chosen?.id ?? null}
              canChange={snapshot.can({ type: 'STATE' })}
              reread={reread}
            />
          </div>
          <DecisionPanel
            workspace={workspace}
            reasons={reasons}
            review={review}
            refused={refused}
            unchecked={unchecked}
            onVerdict={ask}
            quick={quick}
          />
        </div>
      </div>
      <DecisionDialog
        workspace={workspace}
        review={review}
        supporting={supporting}
        me={me}
        onBehalfOf={actingAs.chosen?.id ?? null}
        delegator={actingAs.chosen?.name ?? null}
        unchecked={unchecked}
        onCheck={advance.check}
        onNext={next.claimAfterwards}
      />
      <CompareDialog
        reviewId={review.id}
        reviewCase={review.case}
        other={compared}
        onClose={() => setCompared(null)}
      />
      <ConfirmSaveDialog workspace={workspace} />
      <StatementDialogs reviewId={review.id} workspace={workspace} statements={statements} />
      <FieldHistoryDialog {...history} currency={currencyOf(review.case, undefined)} />
      <KeyHelp keys={keys} />
    </div>
  );
}

/** The refusals or the failure of the last command. */
function CommandErrors({ workspace: { snapshot } }: { workspace: ReturnType<typeof useReview> }) {
  const { refusals, failure } = snapshot.context;
  if (snapshot.matches({ mine: 'confirmingSave' })) return null;
  return <RefusalAlert refusals={refusals} failure={failure} />;
}
