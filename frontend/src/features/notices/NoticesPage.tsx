// The notices of the user, and the choice of those that are sent by e-mail.
import { Anchor, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery, useSubscription } from 'urql';
import { useCommand } from '../../graphql/command';
import type { NoticeLineFragment } from '../../graphql/generated/graphql';
import { useReread } from '../../graphql/use-reread';
import { useResubscribe } from '../../graphql/use-resubscribe';
import { useSignedIn } from '../../lib/session';
import { EmptyState, ErrorState, LoadingState, PageHeader, RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { MailSettings } from './MailSettings';
import { noticeText } from './notice-text';
import { MarkNoticesRead, Notices, UnreadNotices } from './notices.graphql';
import classes from './notices.module.css';

const pageSize = 50;

/** The number of unread notices, live. */
function useUnread(): number | undefined {
  const [{ data, error }, resubscribe] = useSubscription({
    query: UnreadNotices,
    pause: !useSignedIn(),
  });
  useResubscribe(error, resubscribe);
  return data?.notifications.unread;
}

export function NoticesPage() {
  const { t } = useTranslation();
  const [onlyUnread, setOnlyUnread] = useState(false);
  const [size, setSize] = useState(pageSize);
  const [{ data, error, fetching, stale }, refetch] = useQuery({
    query: Notices,
    variables: { first: size, after: null, onlyUnread },
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  useReread(useUnread(), fetching || stale, reload);
  const read = useCommand(MarkNoticesRead, (answer) => answer.markNoticesRead);
  const nodes = data?.notices.nodes ?? [];
  const markAll = async () => {
    const newest = nodes[0];
    if (newest && (await read.run({ until: newest.at }))) reload();
  };
  return (
    <>
      <PageHeader
        title={t('titles.notices')}
        actions={
          nodes.some((notice) => !notice.readAt) && (
            <Button variant="default" size="sm" loading={read.busy} onClick={() => void markAll()}>
              {t('notices.markAll')}
            </Button>
          )
        }
      >
        {t('notices.intro')}
      </PageHeader>
      <Stack gap="md">
        <Checkbox
          label={t('notices.onlyUnread')}
          checked={onlyUnread}
          onChange={(event) => setOnlyUnread(event.currentTarget.checked)}
        />
        <RefusalAlert refusals={read.refusals} error={read.error} />
        {error && !data && <ErrorState error={error} onRetry={reload} />}
        {!error && !data && <LoadingState lines={6} />}
        {data && nodes.length === 0 && (
          <EmptyState icon="done" title={t('notices.empty.title')}>
            {t('notices.empty.text')}
          </EmptyState>
        )}
        {nodes.length > 0 && (
          <ul className={classes.list} aria-label={t('titles.notices')}>
            {nodes.map((notice) => (
              <NoticeRow
                key={notice.id}
                notice={notice}
                onOpen={() => void (notice.readAt ?? read.run({ ids: [notice.id] }))}
              />
            ))}
          </ul>
        )}
        {data?.notices.pageInfo.hasNextPage && size < 100 && (
          <Group>
            <Button variant="default" size="sm" onClick={() => setSize(100)}>
              {t('notices.more')}
            </Button>
          </Group>
        )}
        <MailSettings />
      </Stack>
    </>
  );
}

function NoticeRow({ notice, onOpen }: { notice: NoticeLineFragment; onOpen: () => void }) {
  const { t, i18n } = useTranslation();
  const text = noticeText(t, i18n.language, notice);
  return (
    <li className={classes.item} data-unread={notice.readAt === null}>
      <NoticeLink notice={notice} onOpen={onOpen}>
        {text}
      </NoticeLink>
      <Text size="xs" c="dimmed" component="div">
        {notice.readAt === null && (
          <span className="cs-visually-hidden">{t('notices.unread')} </span>
        )}
        <Timestamp iso={notice.at} as="moment" />
        {notice.due && (
          <>
            {' · '}
            {t(notice.kind === 'DELEGATION' ? 'notices.until' : 'notices.due')}{' '}
            <Timestamp iso={notice.due} as={notice.kind === 'REMINDER' ? 'relative' : 'moment'} />
          </>
        )}
      </Text>
    </li>
  );
}

const proposalPages = {
  PROCESS: '/definitions',
  RULE_SET: '/rules',
  DOCUMENT_TYPE: '/types',
} as const;

function noticePage(notice: NoticeLineFragment): string {
  const { kind, connector, proposalKind, proposalKey, controlKind } = notice;
  if (controlKind) return '/admin/controls';
  if (proposalKind === 'POLICY') return '/admin/authority';
  if (proposalKind) return `${proposalPages[proposalKind]}/${proposalKey}`;
  if (kind === 'SIGN_IN') return '/account';
  if (kind === 'OPERATOR') return '/admin/controls';
  return connector ? '/admin/connectors' : '/delegations';
}

function NoticeLink({
  notice,
  onOpen,
  children,
}: {
  notice: NoticeLineFragment;
  onOpen: () => void;
  children: string;
}) {
  const { caseId, reference, reviewId } = notice;
  if (reviewId)
    return (
      <Anchor c="inherit" component={Link} to={`/reviews/${reviewId}`} onClick={onOpen}>
        {children}
      </Anchor>
    );
  if (caseId)
    return (
      <Anchor c="inherit" component={Link} to={`/cases/${reference ?? caseId}`} onClick={onOpen}>
        {children}
      </Anchor>
    );
  return (
    <Anchor c="inherit" component={Link} to={noticePage(notice)} onClick={onOpen}>
      {children}
    </Anchor>
  );
}
