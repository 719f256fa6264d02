// What giving the chosen reviews away would do to the loads, before it is done.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { RefusalAlert } from '../../ui/states';
import { GiftPreview } from './manage.graphql';
import classes from './manage.module.css';

/** The server previews so many at once. */
const most = 200;

export function GiftEffect({ ids, to }: { ids: readonly string[]; to: string | null }) {
  const { t } = useTranslation();
  const asked = ids.slice(0, most);
  const [{ data, error, fetching }] = useQuery({
    query: GiftPreview,
    variables: { reviewIds: asked, to },
    pause: asked.length === 0,
    requestPolicy: 'network-only',
  });
  if (error) return <RefusalAlert error={error} />;
  const effect = data?.reassignPreview;
  if (asked.length === 0 || !effect || fetching) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {asked.length > 0 && t('manage.effect.working')}
      </Text>
    );
  }
  return (
    <section aria-labelledby="gift-effect" aria-live="polite">
      <Text size="sm" fw={600} id="gift-effect">
        {t('manage.effect.title')}
      </Text>
      {effect.loads.length === 0 && <Text size="sm">{t('manage.effect.none')}</Text>}
      <ul className={classes.effect}>
        {effect.loads.map(({ person, before, after }) => (
          <li key={person.id}>
            <span className="cs-lines2" title={person.name}>
              {person.name}
            </span>
            <span className="cs-numbers" data-more={after > before || undefined}>
              <span className="cs-visually-hidden">
                {t('manage.effect.change', { before, after })}
              </span>
              <span aria-hidden="true">
                {before} → {after}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {effect.refused.length > 0 && (
        <Text size="sm" c="var(--cs-warn)">
          {t(to ? 'manage.effect.refused' : 'manage.effect.refusedAll', {
            count: effect.refused.length,
          })}
        </Text>
      )}
      {ids.length > most && (
        <Text size="xs" c="dimmed">
          {t('manage.effect.first', { count: most })}
        </Text>
      )}
    </section>
  );
}
