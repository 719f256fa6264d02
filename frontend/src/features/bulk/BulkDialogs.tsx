// What is asked before several reviews are approved or reassigned.
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApproveReviewsInput, ReassignReviewsInput } from '../../graphql/generated/bounds';
import { useEligible } from '../../graphql/use-eligible';
import { useReassignImpact } from '../../graphql/use-reassign-impact';
import { ConfirmDialog } from '../../ui/buttons';
import { ReassignImpact } from '../../ui/reassign/ReassignImpact';
import { leastLoaded, ReassignTo } from '../../ui/reassign/ReassignTo';
import { RefusalAlert } from '../../ui/states';
import { ApprovedList } from './ApprovedList';
import { batchSize } from './outcomes';
import type { Share, Target } from './plan';
import type { Bulk, Request } from './use-bulk';

interface DialogProps {
  bulk: Bulk;
  share: Share;
  /** What is possible is being read again. */
  loading: boolean;
  onClose: () => void;
}

/** Sends the command; a long one closes the dialog immediately, so that its progress is visible. */
async function send(
  bulk: Bulk,
  request: Request,
  targets: readonly Target[],
  close: () => void,
): Promise<void> {
  const sent = bulk.run(request, targets);
  if (targets.length > batchSize) close();
  if (await sent) close();
}

export function ApproveDialog({ bulk, share, loading, onClose }: DialogProps) {
  const { t } = useTranslation();
  const count = share.targets.length;
  return (
    <ConfirmDialog
      opened
      title={t('bulk.approveTitle', { count })}
      confirmLabel={t('bulk.approve', { count })}
      busy={bulk.busy || loading}
      reason={{
        label: t('bulk.reason'),
        required: false,
        maxLength: ApproveReviewsInput.reason,
      }}
      onClose={onClose}
      onConfirm={(reason) =>
        void send(bulk, { action: 'approve', reason, to: null }, share.targets, onClose)
      }
    >
      {t('bulk.approveText')}
      <ApprovedList targets={share.targets} />
      {share.leftOut.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('bulk.leftOutCount', { count: share.leftOut.length })}
        </Text>
      )}
      <RefusalAlert refusals={bulk.refusals} error={bulk.error} />
    </ConfirmDialog>
  );
}

export function ReassignDialog({ bulk, share, loading, onClose }: DialogProps) {
  const { t } = useTranslation();
  const [to, setTo] = useState(leastLoaded);
  const ids = share.targets.map(({ review }) => review.id);
  const candidates = useEligible(ids);
  const person = to === leastLoaded ? null : to;
  const impact = useReassignImpact(ids, person);
  const drawn = share.targets.filter(({ review }) => review.drawn).length;
  return (
    <ConfirmDialog
      opened
      title={t('manage.dialog.title', { count: ids.length })}
      confirmLabel={t('manage.dialog.confirm', { count: ids.length })}
      busy={bulk.busy || loading}
      reason={{
        label: t('manage.dialog.reason'),
        required: true,
        maxLength: ReassignReviewsInput.reason,
        placeholder: t('manage.dialog.placeholder'),
      }}
      onClose={onClose}
      onConfirm={(reason) =>
        void send(bulk, { action: 'reassign', reason, to: person }, share.targets, onClose)
      }
    >
      <Stack gap="sm">
        {person !== null && drawn > 0 && (
          <Text size="sm" c="var(--cs-warn)">
            {t('bulk.drawn', { count: drawn })}
          </Text>
        )}
        <ReassignTo candidates={candidates} asked={ids.length} to={to} onTo={setTo} />
        <ReassignImpact {...impact} to={person} />
        <RefusalAlert refusals={bulk.refusals} error={bulk.error} />
      </Stack>
    </ConfirmDialog>
  );
}
