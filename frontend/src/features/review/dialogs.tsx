// The dialogs before a decision and before saving an amount of the user's own.
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import type { TFunction } from 'i18next';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DecideReviewInput } from '../../graphql/generated/bounds';
import { isTyping } from '../../lib/page-keys';
import { CaseAmount } from '../../ui/CaseAmount';
import { counterpartyText } from '../../ui/Counterparty';
import { confirmKey, useConfirmKey } from '../../ui/confirm-key';
import { shortcutProps } from '../../ui/shortcut';
import { Notice } from '../../ui/states';
import { AmountDue } from './AmountDue';
import { ApprovalRequirements } from './ApprovalRequirements';
import { AskedDocuments } from './AskedDocuments';
import {
  approvalStep,
  type OverrideReasons,
  openRequirements,
  overridesToSend,
} from './approval-requirements';
import { namesOf } from './DecisionPanel';
import { Differs } from './Differs';
import { MovedNotice } from './MovedNotice';
import { ReviewStep } from './OtherReviews';
import { PaidTo } from './PaidTo';
import { canBeUndone } from './quick-approval';
import { enteredText } from './ReviewBanner';
import classes from './review.module.css';
import { type Line, missingRequired, type ReadableReview } from './review-facts';
import type { Verdict } from './review-values';
import type { ReviewWorkspaceState } from './use-review';
import type { SupportingState } from './use-supporting';

/** When a closed dialog has given the focus back, in milliseconds. */
const focusReturned = 30;

/**
 * Confirms a decision; Enter confirms, Escape cancels. While fields are not checked, Enter leads to them, and
 * no key approves.
 */
export function DecisionDialog({
  workspace,
  review,
  supporting,
  me,
  onBehalfOf,
  delegator,
  unchecked,
  onCheck,
  onNext,
}: {
  workspace: ReviewWorkspaceState;
  review: ReadableReview;
  supporting: SupportingState;
  me: string | null;
  /** The delegator; null is the user. */
  onBehalfOf: string | null;
  /** Their name. */
  delegator: string | null;
  /** The fields that a person has to check before an approval. */
  unchecked: readonly Line[];
  /** Goes to the first of them. */
  onCheck: () => void;
  /** Opens the next review once this one is decided. */
  onNext: () => void;
}) {
  const { t } = useTranslation();
  const { snapshot, send } = workspace;
  const verdict = snapshot.context.verdict ?? 'APPROVE';
  const cancel = () => send({ type: 'CANCEL' });
  const opened = snapshot.matches({ mine: 'confirmingDecision' });
  /** The dialog was left for the fields. */
  const [checking, setChecking] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog has closed
  useEffect(() => {
    if (opened || !checking) return;
    const timer = setTimeout(() => {
      setChecking(false);
      onCheck();
    }, focusReturned);
    return () => clearTimeout(timer);
  }, [opened, checking]);
  return (
    <Modal
      opened={opened}
      onClose={cancel}
      title={t(`review.decide.ask${verdict}`)}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <DecisionForm
        workspace={workspace}
        review={review}
        supporting={supporting}
        me={me}
        onBehalfOf={onBehalfOf}
        delegator={delegator}
        verdict={verdict}
        unchecked={verdict === 'APPROVE' ? unchecked : []}
        cancel={cancel}
        onCheck={() => {
          setChecking(true);
          cancel();
        }}
        onNext={onNext}
      />
    </Modal>
  );
}

interface DecisionFormProps {
  workspace: ReviewWorkspaceState;
  review: ReadableReview;
  supporting: SupportingState;
  me: string | null;
  onBehalfOf: string | null;
  /** Their name. */
  delegator: string | null;
  verdict: Verdict;
  unchecked: readonly Line[];
  cancel: () => void;
  onCheck: () => void;
  onNext: () => void;
}

/** What the decision means, the findings that stop an approval, and the buttons. */
function DecisionForm(props: DecisionFormProps) {
  const { workspace, review, me, verdict, unchecked, cancel, onCheck, onNext } = props;
  const { t, i18n } = useTranslation();
  const [reasons, setReasons] = useState<OverrideReasons>({});
  const reason = workspace.snapshot.context.reason.trim();
  const open = verdict === 'APPROVE' ? openRequirements(review.case.approvalRequirements) : [];
  const step = approvalStep(open, me);
  const overrides = step === 'stopped' ? null : overridesToSend(open, reasons, reason, step);
  const missing =
    verdict === 'APPROVE' ? missingRequired(review.case.fieldForm) : ([] as readonly Line[]);
  // What has changed since the question was asked is acknowledged first.
  const seen = workspace.snapshot.context.moved === null;
  const complete = seen && overrides !== null && (missing.length === 0 || reason !== '');
  const mayApproveByKey = step !== 'passOn' && unchecked.length === 0;
  const decideAndNext = () => {
    onNext();
    workspace.decide(overrides ?? []);
  };
  const passOn = () => workspace.passOn(overrides ?? []);
  const acknowledge = () => workspace.send({ type: 'ACKNOWLEDGE' });
  /** What Ctrl+Enter does; null while something is missing. */
  const confirm = !seen
    ? acknowledge
    : mayApproveByKey
      ? complete
        ? decideAndNext
        : null
      : step !== 'passOn'
        ? onCheck
        : overrides && passOn;
  const { writing, handlers } = useConfirmKey(confirm);
  const handleKey = (event: KeyboardEvent) => {
    // A key that is held down since before the question is no answer to it.
    if (event.repeat && event.key === 'Enter') event.preventDefault();
    handlers.onKeyDown(event);
    if (step === 'passOn' || event.repeat || !asksForNext(event)) return;
    event.preventDefault();
    confirm?.();
  };
  return (
    <Stack {...handlers} onKeyDown={handleKey}>
      <MovedNotice workspace={workspace} />
      {unchecked.length > 0 && (
        <Notice tone="warn" icon="alert">
          <Text size="sm" fw={600}>
            {t('review.decide.uncheckedTitle', { fields: namesOf(i18n.language, unchecked) })}
          </Text>
          <Text size="sm">{t('review.decide.uncheckedText')}</Text>
        </Notice>
      )}
      <div>
        <Text fw={600} className="cs-lines2">
          {counterpartyText(t, review.case) || review.case.reference}
        </Text>
        <CaseAmount amounts={review.case} /> <AmountDue reviewCase={review.case} />
        <Text size="sm">
          <PaidTo order={review.case.order} />
        </Text>
        <Text size="sm" component="div" className={classes.facts}>
          <ReviewStep review={review} />
        </Text>
      </div>
      {props.delegator !== null && (
        <Text size="sm" fw={600}>
          {t('review.decide.onBehalf', { name: props.delegator })}
        </Text>
      )}
      <Text size="sm">
        {step === 'passOn' ? t('review.overrides.meansPassOn') : meaningOf(t, verdict, review)}
        {step !== 'passOn' && ` ${undoText(t, props)}`}
      </Text>
      {verdict === 'APPROVE' && <AskedDocuments supporting={props.supporting} />}
      {verdict === 'APPROVE' && review.signatureRequired && (
        <Text size="sm">{t('review.decide.signs')}</Text>
      )}
      <GeneralReason {...props} missing={missing} />
      <ApprovalRequirements
        open={open}
        findings={review.case.findings}
        reasons={reasons}
        general={reason}
        focused={unchecked.length === 0}
        onReason={(rule, text) => setReasons({ ...reasons, [rule]: text })}
      />
      {verdict === 'APPROVE' && (
        <Differs reviewCase={review.case} asked={open.map(({ rule }) => rule)} />
      )}
      <Group justify="flex-end" gap="xs" className={`cs-dialog-foot ${classes.answers}`}>
        <Button variant="default" onClick={cancel}>
          {t('ui.cancel')}
        </Button>
        {mayApproveByKey && (
          <Button
            variant="default"
            title={t('review.decide.andNextKeys')}
            {...shortcutProps(writing ? confirmKey : 'n')}
            disabled={!complete}
            onClick={decideAndNext}
          >
            {t('review.decide.andNext')}
          </Button>
        )}
        {step === 'passOn' ? (
          <Button
            {...(writing && shortcutProps(confirmKey))}
            disabled={!seen || overrides === null}
            onClick={passOn}
          >
            {t('review.overrides.passOn')}
          </Button>
        ) : (
          <Button
            {...(mayApproveByKey &&
              open.length === 0 &&
              missing.length === 0 && { 'data-autofocus': true })}
            {...(!mayApproveByKey && { variant: 'default' })}
            disabled={!complete}
            onClick={() =>
              workspace.decide(
                overrides ?? [],
                unchecked.map(({ name }) => name),
              )
            }
            {...(verdict === 'REJECT' && { color: 'red.8' })}
          >
            {t(mayApproveByKey ? `review.decide.${verdict}` : 'review.decide.approveUnchecked')}
          </Button>
        )}
        {unchecked.length > 0 && step !== 'passOn' && (
          <Button
            data-autofocus
            {...shortcutProps(writing ? confirmKey : 'Enter')}
            onClick={onCheck}
          >
            {t('review.decide.check')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** The reason of the decision: a text box if required values are missing, otherwise what was written. */
function GeneralReason({
  workspace,
  unchecked,
  missing,
}: Pick<DecisionFormProps, 'workspace' | 'unchecked'> & { missing: readonly Line[] }) {
  const { t, i18n } = useTranslation();
  const { reason } = workspace.snapshot.context;
  if (missing.length === 0)
    return (
      reason.trim() !== '' && <blockquote className={classes.quote}>{reason.trim()}</blockquote>
    );
  return (
    <>
      <Notice tone="bad" icon="alert">
        <Text size="sm" fw={600}>
          {t('review.decide.missing', { fields: namesOf(i18n.language, missing) })}
        </Text>
      </Notice>
      <Textarea
        {...(unchecked.length === 0 && { 'data-autofocus': true })}
        label={t('review.decide.reason')}
        autosize
        maxRows={6}
        maxLength={DecideReviewInput.reason}
        value={reason}
        onChange={(event) =>
          workspace.send({ type: 'WRITE_REASON', text: event.currentTarget.value })
        }
      />
    </>
  );
}

/** The key n, while no text is typed. */
function asksForNext({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  return key === 'n' && !(ctrlKey || metaKey || altKey) && !isTyping(target);
}

/** What follows from the verdict. A vote of a committee member decides with the others. */
function meaningOf(t: TFunction, verdict: Verdict, review: ReadableReview): string {
  const { committee, afterApproval: after } = review;
  const votes = committee !== null && committee.decideBy !== 'first_rejection';
  if (votes && (verdict === 'APPROVE' || verdict === 'REJECT'))
    return t(`review.committee.means${verdict}`);
  if (verdict !== 'APPROVE') return t(`review.decide.means${verdict}`);
  const { step = 'CONTINUE', queue = '', level = 1 } = after ?? {};
  return t(`review.decide.after.${step}`, { queue, level });
}

/** Whether the verdict can be undone. */
function undoText(
  t: TFunction,
  { review, verdict, onBehalfOf }: Pick<DecisionFormProps, 'review' | 'verdict' | 'onBehalfOf'>,
): string {
  if (canBeUndone(review, verdict, onBehalfOf)) return t('review.decide.undoable');
  return verdict === 'APPROVE' || verdict === 'REJECT' ? t('review.decide.final') : '';
}

/** Confirms an amount that sends the review to another reviewer. */
export function ConfirmSaveDialog({ workspace }: { workspace: ReviewWorkspaceState }) {
  const { t } = useTranslation();
  const { i18n } = useTranslation();
  const { snapshot, send, confirm } = workspace;
  const { entered } = snapshot.context;
  const cancel = () => send({ type: 'CANCEL' });
  return (
    <Modal
      opened={snapshot.matches({ mine: 'confirmingSave' })}
      onClose={cancel}
      title={t(entered.length > 0 ? 'review.confirm.title' : 'review.confirm.titleRevokes')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <Stack>
        <Text size="sm">
          {entered.length > 0
            ? t('review.confirm.text', { what: enteredText(t, i18n.language, entered) })
            : t('review.confirm.textRevokes')}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={cancel}>
            {t('review.confirm.keep')}
          </Button>
          <Button onClick={confirm}>
            {t(entered.length > 0 ? 'review.confirm.save' : 'review.confirm.saveRevokes')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
