// The list of active conflicts of interest, with ending one and importing several.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { EndConflictInput } from '../../graphql/generated/bounds';
import type { ConflictLineFragment } from '../../graphql/generated/graphql';
import { ConfirmDialog } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { Badge } from '../../ui/StatusBadge';
import {
  DoneNotice,
  EmptyState,
  ErrorState,
  LoadingState,
  PageHeader,
  RefusalAlert,
} from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import { ConflictList, EndConflict } from './conflicts.graphql';
import { ImportDialog } from './ImportDialog';
import { PartyGroupDialog } from './PartyGroupDialog';

const pageSize = 50;

export function ConflictsPage() {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const [limit, setLimit] = useState(pageSize);
  const [importing, setImporting] = useState(false);
  const [grouping, setGrouping] = useState(false);
  const [ending, setEnding] = useState<ConflictLineFragment | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const [{ data, error }, refetch] = useQuery({
    query: ConflictList,
    variables: { first: limit, after: null, filter: search === '' ? null : { text: search } },
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const conflicts = data?.conflicts.nodes ?? [];
  return (
    <>
      <PageHeader
        title={t('titles.conflicts')}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<Icon name="people" size={16} />}
              onClick={() => setGrouping(true)}
            >
              {t('admin.group.button')}
            </Button>
            <Button
              variant="default"
              leftSection={<Icon name="upload" size={16} />}
              onClick={() => setImporting(true)}
            >
              {t('admin.import.button')}
            </Button>
          </>
        }
      >
        {t('admin.conflicts.allIntro')}{' '}
        <Link to="/admin/people">{t('admin.conflicts.declareAt')}</Link>{' '}
        <Link to="/admin/controls">{t('admin.controls.open')}</Link>
      </PageHeader>
      <TextInput
        type="search"
        mb="sm"
        label={t('admin.conflicts.search')}
        leftSection={<Icon name="search" />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <DoneNotice message={notice} mb={12} />
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !data && <LoadingState lines={8} />}
      {data && conflicts.length === 0 && (
        <EmptyState icon={search === '' ? 'done' : 'search'} title={t('admin.conflicts.empty')}>
          {search === '' ? t('admin.conflicts.emptyAll') : t('admin.conflicts.emptySearch')}
        </EmptyState>
      )}
      {conflicts.length > 0 && (
        <ul className={`cs-card ${classes.list}`} aria-label={t('titles.conflicts')}>
          {conflicts.map((one) => (
            <ConflictRow key={one.id} conflict={one} onEnd={() => setEnding(one)} />
          ))}
        </ul>
      )}
      {data?.conflicts.pageInfo.hasNextPage && (
        <Button
          variant="default"
          mt="sm"
          onClick={() => setLimit(Math.min(limit + pageSize, 100))}
          disabled={limit >= 100}
        >
          {t('admin.conflicts.more')}
        </Button>
      )}
      {ending && (
        <EndConflictDialog
          one={ending}
          onClose={() => setEnding(null)}
          onDone={() => {
            setNotice(
              t('admin.conflicts.ended', {
                name: ending.person?.name ?? '',
                counterparty: ending.counterparty,
              }),
            );
            setEnding(null);
            reload();
          }}
        />
      )}
      {grouping && (
        <PartyGroupDialog
          onClose={() => {
            setGrouping(false);
            reload();
          }}
        />
      )}
      {importing && (
        <ImportDialog
          onClose={() => setImporting(false)}
          onDone={(count) => {
            setNotice(t('admin.import.done', { count }));
            setImporting(false);
            reload();
          }}
        />
      )}
    </>
  );
}

function ConflictRow({ conflict, onEnd }: { conflict: ConflictLineFragment; onEnd: () => void }) {
  const { t } = useTranslation();
  const reachedParties = conflict.reach.filter((name) => name !== conflict.counterparty);
  return (
    <li className={classes.item}>
      <div className={classes.long}>
        <Text size="sm" component="div" className="cs-lines2">
          <b>
            <PersonName person={conflict.person} />
          </b>{' '}
          <span aria-hidden="true">⊘</span>{' '}
          <span className="cs-visually-hidden">{t('admin.conflicts.keptFrom')}</span>{' '}
          <b>{conflict.counterparty}</b>
        </Text>
        {reachedParties.length > 0 && (
          <Text size="xs" c="dimmed" className="cs-lines2">
            {t('admin.conflicts.reach', { names: reachedParties.join(t('caseLabels.next.comma')) })}
          </Text>
        )}
        <Text size="sm" className="cs-lines2" title={conflict.reason}>
          {conflict.reason}
        </Text>
        <Text size="xs" c="dimmed">
          <PersonName person={conflict.declaredBy} /> ·{' '}
          <Timestamp iso={conflict.createdAt} as="moment" />
        </Text>
      </div>
      <Group gap="xs">
        {conflict.source === 'IMPORTED' && (
          <Badge tone="calm" icon="upload">
            {t('admin.conflicts.imported')}
          </Badge>
        )}
        <Button
          variant="default"
          size="compact-sm"
          aria-label={t('admin.conflicts.endOne', {
            name: conflict.person?.name ?? '',
            counterparty: conflict.counterparty,
          })}
          onClick={onEnd}
        >
          {t('admin.conflicts.end')}
        </Button>
      </Group>
    </li>
  );
}

function EndConflictDialog({
  one: conflict,
  onDone,
  onClose,
}: {
  one: ConflictLineFragment;
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const end = useCommand(EndConflict, (data) => data.endConflict);
  const send = async (reason: string) => {
    if (await end.run({ conflictId: conflict.id, reason })) onDone();
  };
  return (
    <ConfirmDialog
      opened
      title={t('admin.conflicts.endTitle')}
      confirmLabel={t('admin.conflicts.end')}
      busy={end.busy}
      reason={{
        label: t('admin.conflicts.endReason'),
        required: true,
        maxLength: EndConflictInput.reason,
      }}
      onConfirm={(reason) => void send(reason)}
      onClose={onClose}
    >
      {t('admin.conflicts.endText', {
        name: conflict.person?.name ?? '',
        counterparty: conflict.counterparty,
      })}
      <RefusalAlert refusals={end.refusals} error={end.error} />
    </ConfirmDialog>
  );
}
