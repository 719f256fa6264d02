// Chooses the new reviewer of the selected reviews, with a reason.
import { Checkbox, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ReassignReviewsInput } from '../../graphql/generated/bounds';
import { useEligible } from '../../graphql/use-eligible';
import { useReassignImpact } from '../../graphql/use-reassign-impact';
import { ConfirmDialog } from '../../ui/buttons';
import { ReassignImpact } from '../../ui/reassign/ReassignImpact';
import { leastLoaded, ReassignTo } from '../../ui/reassign/ReassignTo';
import { Notice } from '../../ui/states';
import type { Review } from './board';
import classes from './manage.module.css';
import type { Context } from './reassign';
import type { Sender } from './use-reassign';

interface ReassignDialogProps {
  context: Context;
  rows: Review[];
  send: Sender;
}

export function ReassignDialog({ context, rows, send }: ReassignDialogProps) {
  const { t } = useTranslation();
  const [to, setTo] = useState(leastLoaded);
  const [ids] = useState(() => [...context.chosen.keys()]);
  const candidates = useEligible(ids);
  const changed = useMemo(
    () =>
      rows.filter(
        (row) => context.chosen.has(row.id) && context.chosen.get(row.id) !== row.version,
      ),
    [rows, context.chosen],
  );
  const inProgress = rows.filter(
    ({ id, status }) => context.chosen.has(id) && status === 'CLAIMED',
  );
  const losing = [...new Set(inProgress.map(({ assignee }) => assignee?.name ?? ''))].filter(
    Boolean,
  );
  const [alsoChanged, setAlsoChanged] = useState(false);
  const reassignedIds = useMemo(() => {
    const excluded = new Set(alsoChanged ? [] : changed.map(({ id }) => id));
    return [...context.chosen.keys()].filter((id) => !excluded.has(id));
  }, [context.chosen, changed, alsoChanged]);
  const impact = useReassignImpact(reassignedIds, to === leastLoaded ? null : to);
  const count = context.chosen.size - (alsoChanged ? 0 : changed.length);
  const confirm = (reason: string) => {
    if (count === 0) {
      send({ type: 'cancel' });
      return;
    }
    // Reviews that another user has changed are left out unless the checkbox includes them.
    if (!alsoChanged && changed.length > 0)
      send({ type: 'left', ids: changed.map((row) => row.id) });
    const request = { to: to === leastLoaded ? null : to, reason };
    send({ type: 'send', request, changed: alsoChanged ? changed : [] });
  };
  return (
    <ConfirmDialog
      opened
      title={t('manage.dialog.title', { count: context.chosen.size })}
      confirmLabel={count === 0 ? t('manage.dialog.leave') : t('manage.dialog.confirm', { count })}
      reason={{
        label: t('manage.dialog.reason'),
        required: true,
        maxLength: ReassignReviewsInput.reason,
        placeholder: t('manage.dialog.placeholder'),
      }}
      onConfirm={confirm}
      onClose={() => send({ type: 'cancel' })}
    >
      <Stack gap="sm">
        {inProgress.length > 0 && (
          <Notice tone="warn" icon="alert">
            {t('manage.dialog.inProgress', {
              count: inProgress.length,
              names: losing.join(t('caseLabels.next.comma')),
            })}
          </Notice>
        )}
        {changed.length > 0 && (
          <Notice tone="warn" icon="alert" live>
            <Text size="sm" fw={600}>
              {t('manage.dialog.changed', { count: changed.length })}
            </Text>
            <ul className={classes.changed}>
              {changed.slice(0, 5).map((row) => (
                <li key={row.id}>
                  {row.assignee
                    ? t('manage.dialog.nowWith', {
                        reference: row.case?.reference ?? '',
                        name: row.assignee.name,
                      })
                    : t('manage.dialog.nowUnassigned', { reference: row.case?.reference ?? '' })}
                </li>
              ))}
            </ul>
            <Checkbox
              size="sm"
              label={t('manage.dialog.alsoChanged')}
              checked={alsoChanged}
              onChange={(event) => setAlsoChanged(event.currentTarget.checked)}
            />
          </Notice>
        )}
        <ReassignTo candidates={candidates} asked={ids.length} to={to} onTo={setTo} />
        <ReassignImpact {...impact} to={to === leastLoaded ? null : to} />
      </Stack>
    </ConfirmDialog>
  );
}
