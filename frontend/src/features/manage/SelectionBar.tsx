// The number of selected reviews and the commands on them, fixed at the bottom.
import { Button, Group, Progress, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/Icon';
import classes from './manage.module.css';

interface SelectionBarProps {
  chosen: number;
  total: number;
  loading: boolean;
  /** The progress of the commands while they are sent. */
  sending: { sent: number; answered: number } | null;
  onReassign: () => void;
  onSelectAll: () => void;
  onClear: () => void;
}

export function SelectionBar({
  chosen,
  total,
  loading,
  sending,
  onReassign,
  onSelectAll,
  onClear,
}: SelectionBarProps) {
  const { t } = useTranslation();
  const shown = sending !== null || chosen > 0;
  const text = sending
    ? t('manage.bar.sending', { answered: sending.answered, sent: sending.sent })
    : chosen > 0 && t('manage.bar.chosen', { count: chosen });
  return (
    // The region of the text exists before its first text, otherwise screen readers do not read it.
    <section
      className={shown ? classes.bottom : 'cs-visually-hidden'}
      aria-label={shown ? t('manage.bar.label') : undefined}
    >
      <Text size="sm" fw={sending ? 400 : 600} role="status">
        {text}
      </Text>
      {sending ? (
        <Progress
          value={(100 * sending.answered) / Math.max(1, sending.sent)}
          aria-label={t('manage.bar.progress')}
          style={{ flex: 1 }}
        />
      ) : (
        shown && (
          <Group gap={6} style={{ flex: '1 1 16rem' }} justify="flex-end" wrap="nowrap">
            {chosen < total && (
              <Button variant="default" size="sm" loading={loading} onClick={onSelectAll}>
                {t('manage.bar.all', { count: total })}
              </Button>
            )}
            <Button variant="default" size="sm" onClick={onClear}>
              {t('manage.bar.clear')}
            </Button>
            <Button size="sm" leftSection={<Icon name="people" />} onClick={onReassign}>
              {t('manage.bar.give')}
            </Button>
          </Group>
        )
      )}
    </section>
  );
}
