// Pauses the deadlines of a review, with a reason, and resumes them.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { PauseDeadlinesInput } from '../../graphql/generated/bounds';
import { ConfirmDialog } from '../../ui/buttons';
import { Badge } from '../../ui/StatusBadge';
import { RefusalAlert } from '../../ui/states';
import type { Review } from './board';
import { PauseDeadlines, ResumeDeadlines } from './manage.graphql';
import classes from './manage.module.css';

/** Marks a review with paused deadlines. */
export function Paused({ reason }: { reason: string | null }) {
  const { t } = useTranslation();
  return (
    <div>
      <Badge tone="calm" icon="clock">
        {t('manage.pause.paused')}
      </Badge>
      {reason && (
        <div className={`cs-lines2 ${classes.pauseReason}`} title={reason}>
          {reason}
        </div>
      )}
    </div>
  );
}

export function PauseButton({ review }: { review: Review }) {
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState(false);
  const pause = useCommand(PauseDeadlines, (data) => data.pauseDeadlines);
  const resume = useCommand(ResumeDeadlines, (data) => data.resumeDeadlines);
  const paused = review.pausedAt !== null;
  const [command, action] = paused ? ([resume, 'resume'] as const) : ([pause, 'pause'] as const);
  const reference = review.case?.reference ?? '';
  const send = async (reason: string) => {
    const payload = paused
      ? await resume.run({ reviewId: review.id })
      : await pause.run({ reviewId: review.id, reason });
    if (payload) setConfirming(false);
  };
  return (
    <>
      <Button
        variant="subtle"
        size="compact-xs"
        aria-label={t(`manage.pause.${action}One`, { reference })}
        onClick={() => {
          command.clear();
          setConfirming(true);
        }}
      >
        {t(`manage.pause.${action}`)}
      </Button>
      <ConfirmDialog
        opened={confirming}
        title={t(`manage.pause.${action}Title`, { reference })}
        confirmLabel={t(`manage.pause.${action}`)}
        busy={command.busy}
        {...(!paused && {
          reason: {
            label: t('manage.dialog.reason'),
            required: true,
            maxLength: PauseDeadlinesInput.reason,
            placeholder: t('manage.pause.example'),
          },
        })}
        onConfirm={(reason) => void send(reason)}
        onClose={() => setConfirming(false)}
      >
        {t(`manage.pause.${action}Text`)}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </>
  );
}
