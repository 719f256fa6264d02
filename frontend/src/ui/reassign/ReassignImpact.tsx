// Previews how the reassignment would change the reviewers' workload.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { RefusalAlert } from '../../ui/states';
import { ReassignPreview } from './manage.graphql';
import classes from './manage.module.css';

/** The server previews at most this number of reviews. */
const previewLimit = 200;

export function ReassignImpact({ ids, to }: { ids: readonly string[]; to: string | null }) {
  const { t } = useTranslation();
  const previewed = ids.slice(0, previewLimit);
  const [{ data, error, fetching }] = useQuery({
    query: ReassignPreview,
    variables: { reviewIds: previewed, to },
    pause: previewed.length === 0,
    requestPolicy: 'network-only',
  });
  if (error) return <RefusalAlert error={error} />;
  const impact = data?.reassignPreview;
  if (previewed.length === 0 || !impact || fetching) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {previewed.length > 0 && t('manage.effect.working')}
      </Text>
    );
  }
  return (
    <section aria-labelledby="gift-effect" aria-live="polite">
      <Text size="sm" fw={600} id="gift-effect">
        {t('manage.effect.title')}
      </Text>
      {impact.loads.length === 0 && <Text size="sm">{t('manage.effect.none')}</Text>}
      <ul className={classes.effect}>
        {impact.loads.map(({ person, before, after }) => (
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
      {impact.refused.length > 0 && (
        <Text size="sm" c="var(--cs-warn)">
          {t(to ? 'manage.effect.refused' : 'manage.effect.refusedAll', {
            count: impact.refused.length,
          })}
        </Text>
      )}
      {ids.length > previewLimit && (
        <Text size="xs" c="dimmed">
          {t('manage.effect.first', { count: previewLimit })}
        </Text>
      )}
    </section>
  );
}
