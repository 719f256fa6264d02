// The common states of pages: empty, loading, error; and the refusals of commands.
import {
  Box,
  Button,
  Group,
  type MantineSpacing,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureMessage, refusalHint, refusalMessage } from '../lib/labels';
import { type Failure, failureOf, type Refusal, signedOutCodes } from '../lib/refusals';
import { Icon, type IconName } from './Icon';
import type { Tone } from './StatusBadge';
import { StaleNote } from './stale-note';

/** A coloured box with an icon and a message. `live` announces it to screen readers. */
export function Notice({
  tone,
  icon,
  live,
  children,
}: {
  tone: Tone;
  icon?: IconName;
  live?: boolean;
  children: ReactNode;
}) {
  const shown = useAfterRegion(live === true);
  const box = (
    <div className="cs-notice" data-tone={tone}>
      {icon && <Icon name={icon} />}
      <div style={{ minWidth: 0, flex: 1 }}>{children}</div>
    </div>
  );
  // The region exists before its text; without the text the box would be an empty bar.
  return live ? <div role="status">{shown && box}</div> : box;
}

/** How long a live region exists before its text, in milliseconds. */
const regionFirst = 100;

/** Whether the text of a live region is shown: screen readers do not read a region that appears with it. */
function useAfterRegion(live: boolean): boolean {
  const [shown, setShown] = useState(!live);
  useEffect(() => {
    if (shown) return;
    const timer = setTimeout(() => setShown(true), regionFirst);
    return () => clearTimeout(timer);
  }, [shown]);
  return shown;
}

/** The success message of the last command, if there is one. */
export function DoneNotice({
  message,
  mb = 'md',
}: {
  message: string | null;
  mb?: MantineSpacing;
}) {
  if (!message) return null;
  return (
    <Box mb={mb}>
      <Notice tone="good" icon="done" live>
        {message}
      </Notice>
    </Box>
  );
}

/** An empty list, with a hint on what to do. */
export function EmptyState({
  icon = 'inbox',
  title,
  children,
  action,
}: {
  icon?: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center" c="dimmed">
      <Icon name={icon} size={36} />
      <Text fw={600} c="var(--mantine-color-text)">
        {title}
      </Text>
      {children && <Text maw="34rem">{children}</Text>}
      {action}
    </Stack>
  );
}

type UrqlError = Parameters<typeof failureOf>[0];

/** An error with its hint, a retry button, and the request id for support. */
export function ErrorState({
  error,
  onRetry,
}: {
  error: UrqlError | Failure;
  onRetry?: () => void;
}) {
  const { t, i18n } = useTranslation();
  const failure = 'code' in error ? error : failureOf(error);
  const text = failureMessage(t, i18n.language, failure);
  return (
    <div role="alert">
      <Stack align="center" gap="xs" py="xl" px="md" ta="center">
        <Icon name="alert" size={36} />
        <Text fw={600}>{t('ui.errorTitle')}</Text>
        <Text maw="34rem">{text.message}</Text>
        <Text maw="34rem" c="dimmed">
          {text.hint}
        </Text>
        {onRetry && (
          <Button variant="default" leftSection={<Icon name="retry" />} onClick={onRetry}>
            {t('ui.retry')}
          </Button>
        )}
        {failure.requestId && (
          <Text size="xs" c="dimmed" className="cs-mono">
            {t('ui.requestId', { id: failure.requestId })}
          </Text>
        )}
      </Stack>
    </div>
  );
}

/** Why a command was not executed, and what the user can do now. */
export function RefusalAlert({
  refusals,
  error,
  failure,
}: {
  refusals?: readonly Refusal[] | null;
  error?: UrqlError | null | undefined;
  failure?: Failure | null;
}) {
  const { t, i18n } = useTranslation();
  const stale = useContext(StaleNote);
  const lines: {
    message: string;
    hint: string | null;
    id?: string | undefined;
    note?: ReactNode;
  }[] = (refusals ?? []).map((refusal) => ({
    note: refusal.code === 'StaleVersion' && stale,
    message: refusalMessage(t, i18n.language, refusal),
    hint: refusalHint(t, i18n.language, { code: refusal.code, remedy: refusal.remedy ?? null }),
  }));
  const failed = failure ?? (error ? failureOf(error) : null);
  if (failed && !signedOutCodes.has(failed.code)) {
    lines.push({ ...failureMessage(t, i18n.language, failed), id: failed.requestId });
  }
  if (lines.length === 0) return null;
  return (
    <div role="alert">
      <Notice tone="bad" icon="alert">
        {lines.map((line) => (
          <div key={line.message}>
            <Text fw={600} size="sm">
              {line.message}
            </Text>
            {line.hint && <Text size="sm">{line.hint}</Text>}
            {line.note}
            {line.id && <Text className="cs-mono">{t('ui.requestId', { id: line.id })}</Text>}
          </div>
        ))}
      </Notice>
    </div>
  );
}

/** Placeholder lines while a page is loading. */
export function LoadingState({ lines = 6 }: { lines?: number }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" aria-busy="true" role="status" aria-label={t('app.loading')}>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical
          key={index}
          height={index === 0 ? 28 : 18}
          width={`${100 - ((index * 17) % 45)}%`}
        />
      ))}
    </Stack>
  );
}

/** The header of a page: its h1, a subtitle and the page's actions. */
export function PageHeader({
  title,
  children,
  actions,
}: {
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <div style={{ minWidth: 0, flex: '1 1 16rem' }}>
        <Title order={1} tabIndex={-1}>
          {title}
        </Title>
        {children && (
          <Text c="dimmed" size="sm" component="div">
            {children}
          </Text>
        )}
      </div>
      {actions && (
        <Group gap="xs" data-page-actions>
          {actions}
        </Group>
      )}
    </Group>
  );
}
