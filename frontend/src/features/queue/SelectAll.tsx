// Selects the shown reviews, or every review of the list up to a bound.
import { Button, Group } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { countedUpTo } from '../../lib/review-count';
import { maxSelected, type Selection } from '../../lib/selection';
import { SelectShown } from '../../ui/SelectShown';
import type { Row } from './rows';
import type { useQueue } from './use-queue';

interface SelectAllProps {
  queue: Pick<ReturnType<typeof useQueue>, 'total' | 'more'>;
  /** The rows that are still in the list. */
  rows: readonly Row[];
  selection: Selection<Row>;
}

export function SelectAll({ queue: { total, more }, rows, selection }: SelectAllProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(false);
  const ready = asked && !more.loading;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the rows are read
  useEffect(() => {
    if (!ready) return;
    setAsked(false);
    selection.add(rows);
  }, [ready]);
  const select = async () => {
    await more.loadUntil(Math.min(total, maxSelected));
    setAsked(true);
  };
  const count = Math.min(total, maxSelected);
  const chosen = rows.filter(({ id }) => selection.chosen.has(id)).length;
  if (total < 2) return null;
  return (
    <Group gap="sm" mb={4} px={14}>
      <SelectShown
        label={t('queue.bulk.choosePage')}
        shown={Math.min(rows.length, maxSelected)}
        chosen={chosen}
        onAll={() => selection.add(rows)}
        onNone={selection.clear}
      />
      {chosen < count && (
        <Button
          variant="subtle"
          size="compact-sm"
          loading={more.loading}
          onClick={() => void select()}
        >
          {total <= maxSelected && t('queue.bulk.selectAll', { count })}
          {total > maxSelected &&
            t(total < countedUpTo ? 'queue.bulk.selectFirst' : 'queue.bulk.selectFirstOfMany', {
              count,
              total,
            })}
        </Button>
      )}
    </Group>
  );
}
