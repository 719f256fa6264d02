// The dialogs before a decision and before saving an amount of the user's own.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CaseAmount } from '../../ui/CaseAmount';
import classes from './review.module.css';
import type { ReadableReview } from './review-facts';
import type { ReviewWorkspaceState } from './use-review';

/** Confirms a decision; Enter confirms, Escape cancels. */
export function DecisionDialog({
  workspace,
  review,
}: {
  workspace: ReviewWorkspaceState;
  review: ReadableReview;
}) {
  const { t } = useTranslation();
  const { snapshot, send, decide } = workspace;
  const verdict = snapshot.context.verdict ?? 'APPROVE';
  const reason = snapshot.context.reason.trim();
  const cancel = () => send({ type: 'CANCEL' });
  return (
    <Modal
      opened={snapshot.matches({ mine: 'confirmingDecision' })}
      onClose={cancel}
      title={t(`review.decide.ask${verdict}`)}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <Stack>
        <div>
          <Text fw={600} className="cs-lines2">
            {review.case.counterparty || review.case.reference}
          </Text>
          <CaseAmount amounts={review.case} />
        </div>
        <Text size="sm">{t(`review.decide.means${verdict}`)}</Text>
        {reason !== '' && <blockquote className={classes.quote}>{reason}</blockquote>}
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            {t('ui.cancel')}
          </Button>
          <Button data-autofocus onClick={decide} {...(verdict === 'REJECT' && { color: 'red.8' })}>
            {t(`review.decide.${verdict}`)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
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
