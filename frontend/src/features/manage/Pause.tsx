// Lets the deadlines of a review stand still, with a reason, and go on again.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { PauseDeadlinesInput } from '../../graphql/generated/bounds';
import { ConfirmDialog } from '../../ui/buttons';
import { Badge } from '../../ui/StatusBadge';
import { RefusalAlert } from '../../ui/states';
import type { Review } from './board';
import { PauseReview, ResumeReview } from './manage.graphql';
import classes from './manage.module.css';

/** Said on a review whose deadlines stand still. */
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
  const [asking, setAsking] = useState(false);
  const pause = useCommand(PauseReview, (data) => data.pauseDeadlines);
  const resume = useCommand(ResumeReview, (data) => data.resumeDeadlines);
  const stands = review.pausedAt !== null;
  const [command, word] = stands ? ([resume, 'resume'] as const) : ([pause, 'pause'] as const);
  const reference = review.case?.reference ?? '';
  const send = async (reason: string) => {
    const done = stands
      ? await resume.run({ reviewId: review.id })
      : await pause.run({ reviewId: review.id, reason });
    if (done) setAsking(false);
  };
  return (
    <>
      <Button
        variant="subtle"
        size="compact-xs"
        aria-label={t(`manage.pause.${word}One`, { reference })}
        onClick={() => {
          command.clear();
          setAsking(true);
        }}
      >
        {t(`manage.pause.${word}`)}
      </Button>
      <ConfirmDialog
        opened={asking}
        title={t(`manage.pause.${word}Title`, { reference })}
        confirmLabel={t(`manage.pause.${word}`)}
        busy={command.busy}
        {...(!stands && {
          reason: {
            label: t('manage.sheet.reason'),
            required: true,
            maxLength: PauseDeadlinesInput.reason,
            placeholder: t('manage.pause.example'),
          },
        })}
        onConfirm={(reason) => void send(reason)}
        onClose={() => setAsking(false)}
      >
        {t(`manage.pause.${word}Text`)}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </>
  );
}
