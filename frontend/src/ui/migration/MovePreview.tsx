// What a plan or a proposed migration would do to running cases, one page after the other.
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MigrationMovesFragment } from '../../graphql/generated/graphql';
import { failureMessage } from '../../lib/labels';
import { type Failure, failureOf } from '../../lib/refusals';
import { Badge } from '../StatusBadge';
import { Notice } from '../states';
import { Timestamp } from '../values';
import classes from './moves.module.css';

type Move = MigrationMovesFragment['moves'][number];

interface MovePreviewProps {
  /** Reads the page after a cursor, null for the first one. */
  readMoves: (after: string | null) => Promise<{
    page: MigrationMovesFragment | undefined;
    error: Parameters<typeof failureOf>[0] | undefined;
  }>;
  /** Whether the first page is read without a click, because the user decides about these moves. */
  decides?: boolean;
}

export function MovePreview({ readMoves, decides = false }: MovePreviewProps) {
  const { t, i18n } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [moves, setMoves] = useState<readonly Move[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [hidden, setHidden] = useState(0);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [readAt, setReadAt] = useState<string | null>(null);
  /** Reads the next page, or all from the beginning. */
  const read = async (after: string | null) => {
    setBusy(true);
    const { page, error } = await readMoves(after);
    setBusy(false);
    setFailure(error ? failureOf(error) : null);
    if (!page) return;
    if (after === null) setReadAt(new Date().toISOString());
    setMoves([...((after && moves) || []), ...page.moves]);
    setNext(page.next);
    setHidden((after === null ? 0 : hidden) + page.hidden);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (decides) void read(null);
  }, [decides]);
  return (
    <>
      {failure && <Notice tone="warn">{failureMessage(t, i18n.language, failure).message}</Notice>}
      {hidden > 0 && (
        <Text size="sm" role="status">
          {t('migration.hidden', { count: hidden })}
        </Text>
      )}
      {moves && moves.length > 0 && (
        <table className={classes.moves} aria-label={t('migration.preview')}>
          <thead>
            <tr>
              <th scope="col">{t('migration.case')}</th>
              <th scope="col">{t('migration.result')}</th>
              <th scope="col">{t('migration.changes')}</th>
            </tr>
          </thead>
          <tbody>
            {moves.map((move) => (
              <tr key={move.caseId}>
                <th scope="row">
                  <Link to="/cases/$id" params={{ id: move.reference }}>
                    {move.reference}
                  </Link>{' '}
                  {move.changed && (
                    <Badge tone="warn" icon="alert">
                      {t('migration.changed')}
                    </Badge>
                  )}
                </th>
                <td>{expected(t, move)}</td>
                <td>
                  {changes(t, move).map((change) => (
                    <Text key={change} size="sm">
                      {change}
                    </Text>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {readAt && (
        <Text size="sm" c="dimmed">
          {t('migration.readAt')} <Timestamp iso={readAt} as="moment" />{' '}
          <Button
            variant="default"
            size="compact-sm"
            loading={busy}
            onClick={() => void read(null)}
          >
            {t('migration.again')}
          </Button>
        </Text>
      )}
      {(moves === null || next !== null) && (
        <Button variant="default" mt="sm" loading={busy} onClick={() => void read(next)}>
          {moves === null ? t('migration.preview') : t('migration.more')}
        </Button>
      )}
    </>
  );
}

function expected(t: TFunction<'translation'>, move: Move): string {
  if (move.status === 'MOVED') return t('migration.status.willMove');
  return move.status === 'WAITING'
    ? t('migration.status.willWait')
    : t('migration.status.willStay');
}

/** The reason for which a case does not move, as a sentence. */
export function reasonText(t: TFunction<'translation'>, reason: string): string {
  return t(`migration.why.${reason}` as 'migration.why.stays', { defaultValue: reason });
}

function changes(t: TFunction<'translation'>, move: Move): readonly string[] {
  if (move.reason !== '') {
    return [`${move.node === '' ? '' : `${move.node}: `}${reasonText(t, move.reason)}`];
  }
  const nameOf = (person: { name: string } | null) => person?.name ?? t('migration.someone');
  return [
    ...move.nodes,
    ...move.reviews.flatMap((review) => {
      const { node, before, after } = review;
      return [
        ...(before === '' ? [t('migration.seat', { node, after })] : []),
        ...(before !== '' && before !== after
          ? [t('migration.queue', { node, before, after })]
          : []),
        ...(review.released
          ? [t('migration.released', { node, person: nameOf(review.assignee) })]
          : []),
      ];
    }),
    ...move.revoked.map(({ node, person }) =>
      t('migration.revoked', { node, person: nameOf(person) }),
    ),
  ];
}
