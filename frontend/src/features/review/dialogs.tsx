// The dialogs before a decision and before saving an amount of the user's own.
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import type { TFunction } from 'i18next';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DecideReviewInput } from '../../graphql/generated/bounds';
import { labelIn } from '../../lib/field-labels';
import { isTyping } from '../../lib/page-keys';
import { CaseAmount } from '../../ui/CaseAmount';
import { counterpartyText } from '../../ui/Counterparty';
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
import { Differs } from './Differs';
import { PaidTo } from './PaidTo';
import { canBeUndone } from './quick-approval';
import classes from './review.module.css';
import { awaitsCheck, type Line, missingRequired, type ReadableReview } from './review-facts';
import type { Verdict } from './review-values';
import type { ReviewWorkspaceState } from './use-review';
import type { SupportingState } from './use-supporting';

/** Confirms a decision; Enter confirms, Escape cancels. */
export function DecisionDialog({
  workspace,
  review,
  supporting,
  me,
  onBehalfOf,
  onNext,
}: {
  workspace: ReviewWorkspaceState;
  review: ReadableReview;
  supporting: SupportingState;
  me: string | null;
  /** The delegator; null is the user. */
  onBehalfOf: string | null;
  /** Opens the next review once this one is decided. */
  onNext: () => void;
}) {
  const { t } = useTranslation();
  const { snapshot, send } = workspace;
  const verdict = snapshot.context.verdict ?? 'APPROVE';
  const cancel = () => send({ type: 'CANCEL' });
  return (
    <Modal
      opened={snapshot.matches({ mine: 'confirmingDecision' })}
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
        verdict={verdict}
        cancel={cancel}
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
  verdict: Verdict;
  cancel: () => void;
  onNext: () => void;
}

/** What the decision means, the findings that stop an approval, and the buttons. */
function DecisionForm(props: DecisionFormProps) {
  const { workspace, review, me, verdict, cancel, onNext } = props;
  const { t, i18n } = useTranslation();
  const [reasons, setReasons] = useState<OverrideReasons>({});
  const reason = workspace.snapshot.context.reason.trim();
  const open = verdict === 'APPROVE' ? openRequirements(review.case.approvalRequirements) : [];
  const step = approvalStep(open, me);
  const overrides = step === 'stopped' ? null : overridesToSend(open, reasons, reason, step);
  const missing =
    verdict === 'APPROVE' ? missingRequired(review.case.fieldForm) : ([] as readonly Line[]);
  const complete = overrides !== null && (missing.length === 0 || reason !== '');
  const unchecked = review.case.fieldForm.filter(
    (line) => awaitsCheck(line) && !missing.includes(line),
  );
  const namesOf = (lines: readonly Line[]) =>
    lines.map((line) => labelIn(i18n.language, line)).join(t('caseLabels.next.comma'));
  const decideAndNext = () => {
    onNext();
    workspace.decide(overrides ?? []);
  };
  const handleKey = (event: KeyboardEvent) => {
    // A key that is held down since before the question is no answer to it.
    if (event.repeat && event.key === 'Enter') event.preventDefault();
    if (step === 'passOn' || !complete || event.repeat || !asksForNext(event)) return;
    event.preventDefault();
    decideAndNext();
  };
  return (
    <Stack onKeyDown={handleKey}>
      <div>
        <Text fw={600} className="cs-lines2">
          {counterpartyText(t, review.case) || review.case.reference}
        </Text>
        <CaseAmount amounts={review.case} /> <AmountDue reviewCase={review.case} />
        <Text size="sm">
          <PaidTo order={review.case.order} />
        </Text>
      </div>
      {verdict === 'APPROVE' && (
        <Differs reviewCase={review.case} asked={open.map(({ rule }) => rule)} />
      )}
      <Text size="sm">
        {step === 'passOn' ? t('review.overrides.meansPassOn') : meaningOf(t, verdict, review)}
        {step !== 'passOn' && ` ${undoText(t, props)}`}
      </Text>
      {verdict === 'APPROVE' && <AskedDocuments supporting={props.supporting} />}
      {verdict === 'APPROVE' && review.signatureRequired && (
        <Text size="sm">{t('review.decide.signs')}</Text>
      )}
      {missing.length > 0 && (
        <Notice tone="bad" icon="alert">
          <Text size="sm" fw={600}>
            {t('review.decide.missing', { fields: namesOf(missing) })}
          </Text>
        </Notice>
      )}
      {verdict === 'APPROVE' && unchecked.length > 0 && (
        <Text size="sm" fw={600}>
          {t('review.decide.unchecked', { fields: namesOf(unchecked) })}
        </Text>
      )}
      {missing.length > 0 ? (
        <Textarea
          data-autofocus
          label={t('review.decide.reason')}
          autosize
          maxRows={6}
          maxLength={DecideReviewInput.reason}
          value={workspace.snapshot.context.reason}
          onChange={(event) =>
            workspace.send({ type: 'WRITE_REASON', text: event.currentTarget.value })
          }
        />
      ) : (
        reason !== '' && <blockquote className={classes.quote}>{reason}</blockquote>
      )}
      <ApprovalRequirements
        open={open}
        findings={review.case.findings}
        reasons={reasons}
        general={reason}
        onReason={(rule, text) => setReasons({ ...reasons, [rule]: text })}
      />
      <Group justify="flex-end" gap="xs" className={classes.answers}>
        <Button variant="default" onClick={cancel}>
          {t('ui.cancel')}
        </Button>
        {step !== 'passOn' && (
          <Button
            variant="default"
            title={t('review.decide.andNextKeys')}
            {...shortcutProps('n')}
            disabled={!complete}
            onClick={decideAndNext}
          >
            {t('review.decide.andNext')}
          </Button>
        )}
        {step === 'passOn' ? (
          <Button disabled={overrides === null} onClick={() => workspace.passOn(overrides ?? [])}>
            {t('review.overrides.passOn')}
          </Button>
        ) : (
          <Button
            {...(open.length === 0 && missing.length === 0 && { 'data-autofocus': true })}
            disabled={!complete}
            onClick={() => workspace.decide(overrides ?? [])}
            {...(verdict === 'REJECT' && { color: 'red.8' })}
          >
            {t(`review.decide.${verdict}`)}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** Ctrl+Enter, also while an explanation is typed; n elsewhere. */
function asksForNext({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (altKey) return false;
  return ctrlKey || metaKey ? key === 'Enter' : key === 'n' && !isTyping(target);
}

/** What follows from the verdict. A vote of a committee member decides with the others. */
function meaningOf(t: TFunction, verdict: Verdict, review: ReadableReview): string {
  const { committee, afterApproval: after } = review;
  if (committee !== null && (verdict === 'APPROVE' || verdict === 'REJECT'))
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
  const { snapshot, send, confirm } = workspace;
  const cancel = () => send({ type: 'CANCEL' });
  return (
    <Modal
      opened={snapshot.matches({ mine: 'confirmingSave' })}
      onClose={cancel}
      title={t('review.confirm.title')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <Stack>
        <Text size="sm">{t('review.confirm.text')}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={cancel}>
            {t('review.confirm.keep')}
          </Button>
          <Button onClick={confirm}>{t('review.confirm.save')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
