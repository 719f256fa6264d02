// What the owners of processes decided about a proposal, and the buttons with which an owner decides.
import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { DecideAsOwnerInput } from '../../graphql/generated/bounds';
import type { OwnerReviewLinesFragment } from '../../graphql/generated/graphql';
import { useOwnerTasks } from '../../graphql/owner-tasks';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { Badge } from '../../ui/StatusBadge';
import { RefusalAlert } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import classes from './definitions.module.css';
import { DecideAsOwner } from './owners.graphql';

interface OwnerReviewsProps {
  proposalId: string;
  /** The hash of the text that the page shows; a decision is about this text. */
  sha256: string;
  reviews: readonly OwnerReviewLinesFragment[];
  onChanged: () => void;
}

export function OwnerReviews({ proposalId, sha256, reviews, onChanged }: OwnerReviewsProps) {
  if (reviews.length === 0) return null;
  return (
    <div className={classes.owners}>
      {reviews.map((review) => (
        <OwnerReview key={review.process} review={review} />
      ))}
      {reviews.some(({ decidable }) => decidable) && (
        <Decision proposalId={proposalId} sha256={sha256} onChanged={onChanged} />
      )}
    </div>
  );
}

function OwnerReview({ review }: { review: OwnerReviewLinesFragment }) {
  const { t } = useTranslation();
  const { process, approved, required } = review;
  return (
    <div>
      <Text size="sm" fw={600}>
        {t('owners.review', { process, approved, required })}
      </Text>
      <ul className={classes.opinions}>
        {review.owners.map((owner) => (
          <li key={owner.person?.id}>
            <Text size="sm" span>
              <PersonName person={owner.person} />
            </Text>{' '}
            {owner.decision ? (
              <Badge
                tone={owner.decision === 'APPROVED' ? 'good' : 'bad'}
                icon={owner.decision === 'APPROVED' ? 'check' : 'cross'}
              >
                {t(`owners.decision.${owner.decision}`)}
              </Badge>
            ) : (
              <Text size="sm" c="dimmed" span>
                {t(owner.eligible ? 'owners.undecided' : 'owners.ineligible')}
              </Text>
            )}
            {owner.decidedAt && (
              <Text size="xs" c="dimmed" span>
                {' '}
                <Timestamp iso={owner.decidedAt} as="moment" />
              </Text>
            )}
            {owner.decision && !owner.eligible && (
              <Text size="xs" c="dimmed">
                {t('owners.notCounted')}
              </Text>
            )}
            {owner.reason && <Text size="sm">{owner.reason}</Text>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Decision({
  proposalId,
  sha256,
  onChanged,
}: Pick<OwnerReviewsProps, 'proposalId' | 'sha256' | 'onChanged'>) {
  const { t } = useTranslation();
  const { reload } = useOwnerTasks();
  const command = useCommand(DecideAsOwner, (data) => data.decideAsOwner);
  const [deciding, setDeciding] = useState<'APPROVED' | 'REJECTED' | null>(null);
  const rejects = deciding === 'REJECTED';
  const close = () => {
    setDeciding(null);
    command.clear();
  };
  const send = async (reason: string) => {
    if (!deciding || !(await command.run({ proposalId, sha256, decision: deciding, reason })))
      return;
    close();
    reload();
    onChanged();
  };
  return (
    <Group gap="xs">
      <ButtonWithReason disabledReason={null} onClick={() => setDeciding('APPROVED')}>
        {t('owners.approve')}
      </ButtonWithReason>
      <ButtonWithReason
        disabledReason={null}
        variant="default"
        onClick={() => setDeciding('REJECTED')}
      >
        {t('owners.reject')}
      </ButtonWithReason>
      <ConfirmDialog
        opened={deciding !== null}
        title={t(rejects ? 'owners.rejectTitle' : 'owners.approveTitle')}
        confirmLabel={t(rejects ? 'owners.reject' : 'owners.approve')}
        danger={rejects}
        busy={command.busy}
        reason={{
          label: t(rejects ? 'owners.rejectReason' : 'owners.note'),
          required: rejects,
          maxLength: DecideAsOwnerInput.reason,
        }}
        onConfirm={(reason) => void send(reason)}
        onClose={close}
      >
        <p>{t(rejects ? 'owners.rejectText' : 'owners.approveText')}</p>
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </Group>
  );
}
