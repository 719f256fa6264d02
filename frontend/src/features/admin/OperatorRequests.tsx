// What the operator changed by the command line: administrators withdraw and review it.
import { Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ReviewOperatorRequestInput } from '../../graphql/generated/bounds';
import type { OperatorRequestLineFragment } from '../../graphql/generated/graphql';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import { EndOperatorRequest, ReviewOperatorRequest } from './controls.graphql';

interface RequestsProps {
  requests: readonly OperatorRequestLineFragment[];
  me: string | null;
  administers: boolean;
  onChanged: (message: string) => void;
}

export function OperatorRequests({ requests, ...rest }: RequestsProps) {
  const { t } = useTranslation();
  if (requests.length === 0) return null;
  return (
    <>
      <Title order={2} size="h4" mb="xs">
        {t('admin.operator.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('admin.operator.text')}
      </Text>
      <ul className={`cs-card ${classes.list}`} aria-label={t('admin.operator.title')}>
        {requests.map((one) => (
          <RequestItem key={one.id} request={one} {...rest} />
        ))}
      </ul>
    </>
  );
}

interface ItemProps extends Omit<RequestsProps, 'requests'> {
  request: OperatorRequestLineFragment;
}

function RequestItem({ request, me, administers, onChanged }: ItemProps) {
  const { t } = useTranslation();
  const [action, setAction] = useState<'review' | 'end' | null>(null);
  const review = useCommand(ReviewOperatorRequest, (data) => data.reviewOperatorRequest);
  const end = useCommand(EndOperatorRequest, (data) => data.endOperatorRequest);
  const command = action === 'review' ? review : end;
  const title = t('admin.operator.line', {
    subject: request.subject,
    before: request.before || t('admin.operator.none'),
    after: request.after,
  });
  const due = request.status === 'REQUESTED' ? request.effectAt : request.expiresAt;
  const send = async (note: string) => {
    const target = { requestId: request.id };
    const done = await (action === 'review'
      ? review.run({ ...target, note })
      : end.run({ ...target, reason: note || null }));
    if (!done) return;
    setAction(null);
    onChanged(title);
  };
  const blocked =
    request.person?.id === me
      ? t('admin.operator.own')
      : request.reviewers.some(({ id }) => id === me)
        ? t('admin.operator.reviewed')
        : null;
  return (
    <li className={classes.item}>
      <div className={classes.long}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm">{request.reason}</Text>
        <Text size="xs" c="dimmed">
          {t(`admin.operator.status.${request.status}`)}
          {due && (
            <>
              {' '}
              <Timestamp iso={due} as="moment" />
            </>
          )}
          {request.signedBy.length > 0 &&
            ` · ${t('admin.operator.signed', { names: request.signedBy.join(', ') })}`}
          {request.reviewers.length > 0 &&
            ` · ${t('admin.operator.reviewedBy', { names: request.reviewers.map(({ name }) => name).join(', ') })}`}
        </Text>
      </div>
      {administers && (
        <Group gap="xs">
          {request.status !== 'REQUESTED' && (
            <ButtonWithReason disabledReason={blocked} onClick={() => setAction('review')}>
              {t('admin.operator.review')}
            </ButtonWithReason>
          )}
          {request.status !== 'ENDED' && (
            <ButtonWithReason
              disabledReason={null}
              variant="default"
              onClick={() => setAction('end')}
            >
              {t(request.status === 'REQUESTED' ? 'admin.operator.withdraw' : 'admin.operator.end')}
            </ButtonWithReason>
          )}
        </Group>
      )}
      <ConfirmDialog
        opened={action !== null}
        title={t(
          action === 'review'
            ? 'admin.operator.review'
            : request.status === 'REQUESTED'
              ? 'admin.operator.withdraw'
              : 'admin.operator.end',
        )}
        confirmLabel={t('admin.operator.confirm')}
        busy={command.busy}
        reason={{
          label: t(action === 'review' ? 'admin.operator.note' : 'admin.operator.reason'),
          required: action === 'review',
          maxLength: ReviewOperatorRequestInput.note,
        }}
        onConfirm={(note) => void send(note)}
        onClose={() => setAction(null)}
      >
        {title}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </li>
  );
}
