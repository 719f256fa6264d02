// The reviews that the user skipped: how many, which, and how they are offered again.
import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { skipped, unskip } from '../../lib/skipped';
import { useStore } from '../../lib/store';

/** How many reviews "claim next" leaves out; nothing without any. */
export function SkippedNote() {
  const { t } = useTranslation();
  const ids = useStore(skipped);
  if (ids.length === 0) return null;
  return (
    <Group gap="xs" mb="sm" role="status">
      <Text size="sm">{t('queue.skipped.count', { count: ids.length })}</Text>
      <Button size="compact-sm" variant="default" onClick={() => unskip(ids)}>
        {t('queue.skipped.all')}
      </Button>
    </Group>
  );
}

/** On the row of a skipped review. */
export function SkippedRow({ id, reference }: { id: string; reference: string }) {
  const { t } = useTranslation();
  if (!useStore(skipped).includes(id)) return null;
  return (
    <div className="cs-secondary">
      {t('queue.skipped.row')}{' '}
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t('queue.skipped.undoWhat', { reference })}
        onClick={() => unskip([id])}
      >
        {t('queue.skipped.undo')}
      </Button>
    </div>
  );
}
