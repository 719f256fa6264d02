// The commands on the selected rows and their outcomes, at the lower edge of the window: where the person is
// in the list.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { plainID } from '../../lib/plain-id';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import type { BulkActionsProps } from '../../ui/BulkActions';
import { RefusalAlert } from '../../ui/states';
import { ApproveDialog, ReassignDialog } from './BulkDialogs';
import { BulkResults } from './BulkResults';
import classes from './bulk.module.css';
import { CommandButton, ExportButton } from './buttons';
import { LeftOutList } from './LeftOutList';
import { type Action, onlyReviews, type Share, shareOf } from './plan';
import { type Bulk, useBulk } from './use-bulk';
import { usePlan } from './use-plan';

export function BulkDock({ cases, selected, reviews, onDone, ...props }: BulkActionsProps) {
  const person = usePerson();
  const manages = hasRole(person, 'manager');
  const works = hasRole(person, ...reviewerRoles);
  const plan = usePlan(
    cases.map(({ id }) => id),
    manages,
    !works,
  );
  const bulk = useBulk(selected, (sent, changed, action) => {
    plan.reload(sent);
    // What was claimed stays selected for the next command.
    if (action !== 'claim') onDone(changed);
  });
  if (cases.length === 0 && bulk.outcomes.length === 0 && !bulk.failed) return null;
  const work = onlyReviews(plan.work, reviews);
  const share = (action: Action) => shareOf(action, cases, work);
  return (
    <div className={classes.dock}>
      <Progress bulk={bulk} />
      <BulkResults bulk={bulk} />
      {cases.length > 0 && (
        <BulkBar
          {...props}
          cases={cases}
          bulk={bulk}
          loading={plan.loading}
          shares={
            works
              ? {
                  claim: share('claim'),
                  release: share('release'),
                  approve: share('approve'),
                  ...(manages && { reassign: share('reassign') }),
                }
              : {}
          }
          onAsk={() => plan.reload()}
        />
      )}
      <RefusalAlert error={plan.error} />
    </div>
  );
}

/** How far a command is, and the way to stop it. Parts that were sent are not undone by it. */
function Progress({ bulk }: { bulk: Bulk }) {
  const { t } = useTranslation();
  if (!bulk.progress) return null;
  return (
    <Group gap="xs">
      <Text size="sm" role="status">
        {t('bulk.progress', bulk.progress)}
      </Text>
      <Button variant="default" size="compact-sm" onClick={bulk.stop}>
        {t('bulk.stop')}
      </Button>
    </Group>
  );
}

type BarProps = Omit<BulkActionsProps, 'selected' | 'reviews' | 'onDone'> & {
  bulk: Bulk;
  loading: boolean;
  /** What each command that the user has can do. */
  shares: Partial<Record<Action, Share>>;
  /** A command is about to be confirmed. */
  onAsk: () => void;
};

function BulkBar({
  cases,
  bulk,
  loading,
  shares,
  notShown,
  onBehalf,
  exported,
  onAsk,
  onClear,
}: BarProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<Action | null>(null);
  const ask = (action: Action) => {
    onAsk();
    setAsked(action);
  };
  const button = (action: Action) => {
    const share = shares[action];
    return (
      share && (
        <CommandButton
          action={action}
          share={share}
          onBehalf={onBehalf}
          loading={loading || (bulk.busy && asked === null)}
          onClick={() =>
            action === 'claim' || action === 'release'
              ? void bulk.run({ action, reason: '', to: null }, share.targets)
              : ask(action)
          }
        />
      )
    );
  };
  const close = () => {
    bulk.cancel();
    setAsked(null);
  };
  return (
    <section className={classes.bar} aria-label={t('bulk.label')}>
      <Text size="sm" fw={600} role="status">
        {t('bulk.chosen', { count: cases.length })}
        {notShown !== null && notShown > 0 && (
          <Text span size="sm" c="dimmed">
            {' '}
            {t('bulk.notShown', { count: notShown })}
          </Text>
        )}
      </Text>
      <Group gap={6}>
        <Button variant="default" size="sm" onClick={onClear}>
          {t('bulk.clear')}
        </Button>
        {exported && <ExportButton ids={cases.map(({ id }) => plainID(id) ?? '')} />}
        {button('reassign')}
        {button('claim')}
        {shares.release && shares.release.targets.length > 0 && button('release')}
        {button('approve')}
      </Group>
      {!loading && <LeftOutList shares={shares} />}
      {asked === 'approve' && shares.approve && (
        <ApproveDialog bulk={bulk} share={shares.approve} loading={loading} onClose={close} />
      )}
      {asked === 'reassign' && shares.reassign && (
        <ReassignDialog bulk={bulk} share={shares.reassign} loading={loading} onClose={close} />
      )}
    </section>
  );
}
