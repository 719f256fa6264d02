// What was learned about vendors from archived documents, with revoking an entry.
import { Button, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { RevokeLessonInput } from '../../graphql/generated/bounds';
import type { LessonLineFragment } from '../../graphql/generated/graphql';
import { fieldLabel } from '../../lib/labels';
import { hasRole, usePerson } from '../../lib/session';
import { ConfirmDialog } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
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
import { RevokeLesson, VendorMemory } from './memory.graphql';

/** The most entries that one answer has (graph/schema/memory.graphqls). */
const most = 200;

export function MemoryPage() {
  const { t } = useTranslation();
  const administers = hasRole(usePerson(), 'administrator');
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const [revoking, setRevoking] = useState<LessonLineFragment | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const [{ data, error }, refetch] = useQuery({
    query: VendorMemory,
    variables: { vendor: search },
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const lessons = data?.vendorMemory ?? [];
  return (
    <>
      <PageHeader
        title={t('titles.memory')}
        actions={<Link to="/admin/controls">{t('admin.controls.all')}</Link>}
      >
        {t('admin.memory.intro')}
      </PageHeader>
      <TextInput
        type="search"
        mb="sm"
        label={t('admin.memory.search')}
        leftSection={<Icon name="search" />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <DoneNotice message={notice} mb={12} />
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !data && <LoadingState lines={8} />}
      {data && lessons.length === 0 && (
        <EmptyState icon={search === '' ? 'done' : 'search'} title={t('admin.memory.empty')}>
          {search === '' ? t('admin.memory.emptyAll') : t('admin.memory.emptySearch')}
        </EmptyState>
      )}
      {lessons.length > 0 && (
        <ul className={`cs-card ${classes.list}`} aria-label={t('titles.memory')}>
          {lessons.map((one) => (
            <LessonRow
              key={one.id}
              lesson={one}
              onRevoke={administers ? () => setRevoking(one) : null}
            />
          ))}
        </ul>
      )}
      {lessons.length >= most && (
        <Text size="sm" c="dimmed">
          {t('admin.memory.most')}
        </Text>
      )}
      {revoking && (
        <RevokeDialog
          lesson={revoking}
          onClose={() => setRevoking(null)}
          onDone={() => {
            setNotice(t('admin.memory.done', { vendor: revoking.vendor }));
            setRevoking(null);
            reload();
          }}
        />
      )}
    </>
  );
}

/** What the entry remembers besides the name, in one line. */
function rememberedText(t: TFunction<'translation'>, lesson: LessonLineFragment): string {
  const comma = t('caseLabels.next.comma');
  const fields = [...new Set(lesson.places.map(({ field }) => fieldLabel(t, field)))];
  return [
    lesson.taxId && t('admin.memory.taxId', { id: lesson.taxId }),
    lesson.header.length > 0 && t('admin.memory.header', { words: lesson.header.join(' ') }),
    fields.length > 0 && t('admin.memory.places', { fields: fields.join(comma) }),
  ]
    .filter((part) => part)
    .join(' · ');
}

function LessonRow({
  lesson,
  onRevoke,
}: {
  lesson: LessonLineFragment;
  onRevoke: (() => void) | null;
}) {
  const { t } = useTranslation();
  const { reference } = lesson.learnedFrom;
  return (
    <li className={classes.item}>
      <div className={classes.long}>
        <Text size="sm" fw={600}>
          {lesson.vendor}
        </Text>
        <Text size="sm" className="cs-lines2">
          {rememberedText(t, lesson)}
        </Text>
        <Text size="xs" c="dimmed">
          {reference ? t('admin.memory.from', { reference }) : t('admin.memory.fromHidden')} ·{' '}
          <Timestamp iso={lesson.learnedAt} as="moment" />
        </Text>
        {lesson.revokedAt && (
          <Text size="xs" c="dimmed">
            {t('admin.memory.revoked', { reason: lesson.reason })} ·{' '}
            <PersonName person={lesson.revokedBy} /> ·{' '}
            <Timestamp iso={lesson.revokedAt} as="moment" />
          </Text>
        )}
      </div>
      {!lesson.revokedAt && onRevoke && (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={t('admin.memory.revokeOne', { vendor: lesson.vendor })}
          onClick={onRevoke}
        >
          {t('admin.memory.revoke')}
        </Button>
      )}
    </li>
  );
}

function RevokeDialog({
  lesson,
  onDone,
  onClose,
}: {
  lesson: LessonLineFragment;
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const revoke = useCommand(RevokeLesson, (data) => data.revokeLesson);
  const send = async (reason: string) => {
    if (await revoke.run({ lessonId: lesson.id, reason })) onDone();
  };
  return (
    <ConfirmDialog
      opened
      title={t('admin.memory.revokeTitle')}
      confirmLabel={t('admin.memory.revoke')}
      busy={revoke.busy}
      reason={{
        label: t('admin.memory.reason'),
        required: true,
        maxLength: RevokeLessonInput.reason,
      }}
      onConfirm={(reason) => void send(reason)}
      onClose={onClose}
    >
      {t('admin.memory.revokeText', { vendor: lesson.vendor })}
      <RefusalAlert refusals={revoke.refusals} error={revoke.error} />
    </ConfirmDialog>
  );
}
