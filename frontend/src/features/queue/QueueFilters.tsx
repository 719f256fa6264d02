// What the queue shows, and in which order.
import { Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ReviewFilter } from '../../graphql/generated/bounds';
import { queueLabel } from '../../lib/labels';
import { usePerson } from '../../lib/session';
import { makeStore } from '../../lib/store';
import { useLateText } from '../../lib/use-late-text';
import { Icon } from '../../ui/Icon';
import { type QueueFilter, sorts } from './use-filter';

/** The delegator that reviews are claimed for, kept in memory; null is the user. */
export const actingForStore = makeStore<string | null>(null);

interface FiltersProps {
  filter: QueueFilter;
  onFilter: (next: QueueFilter) => void;
  /** The people who have delegated to the user. */
  delegators: readonly { id: string; name: string }[];
  actingFor: string | null;
}

export function QueueFilters({ filter, onFilter, delegators, actingFor }: FiltersProps) {
  const { t } = useTranslation();
  const queues = usePerson()?.queues ?? [];
  const [text, setText] = useLateText(filter.text, (text) => onFilter({ ...filter, text }));
  return (
    <Group mb="md" gap="sm" role="search" aria-label={t('titles.queue')}>
      <SegmentedControl
        aria-label={t('queue.filter')}
        value={filter.whose}
        onChange={(whose) => onFilter({ ...filter, whose: whose as QueueFilter['whose'] })}
        data={[
          { value: 'all', label: t('queue.all') },
          { value: 'mine', label: t('queue.mine') },
          { value: 'available', label: t('queue.available') },
        ]}
      />
      <TextInput
        aria-label={t('queue.text')}
        placeholder={t('queue.text')}
        type="search"
        leftSection={<Icon name="search" size={16} />}
        value={text}
        maxLength={ReviewFilter.text}
        onChange={(event) => setText(event.currentTarget.value)}
        style={{ flex: '1 1 14rem', maxWidth: '24rem' }}
      />
      <NativeSelect
        aria-label={t('queue.sort')}
        value={sorts.find((one) => one === filter.sort) ?? 'deadline'}
        onChange={(event) => onFilter({ ...filter, sort: event.currentTarget.value })}
        data={sorts.map((sort) => ({ value: sort, label: t(`queue.sorts.${sort}`) }))}
      />
      {queues.length > 1 && (
        <NativeSelect
          aria-label={t('queue.queue')}
          value={filter.queue}
          onChange={(event) => onFilter({ ...filter, queue: event.currentTarget.value })}
          data={[
            { value: '', label: t('queue.everyQueue') },
            ...queues.map((name) => ({ value: name, label: queueLabel(t, name) })),
          ]}
        />
      )}
      {delegators.length > 0 && (
        <NativeSelect
          maw="20rem"
          aria-label={t('queue.name.label')}
          value={actingFor ?? ''}
          onChange={(event) => actingForStore.set(event.currentTarget.value || null)}
          data={[
            { value: '', label: t('queue.name.own') },
            ...delegators.map(({ id, name }) => ({
              value: id,
              label: t('queue.name.of', { name }),
            })),
          ]}
        />
      )}
    </Group>
  );
}
