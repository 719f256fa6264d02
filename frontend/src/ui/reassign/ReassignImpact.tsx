// How a reassignment would change the reviewers' workload.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { RefusalAlert } from '../states';
import classes from './reassign.module.css';

export interface ReassignImpactProps {
  impact: {
    loads: readonly {
      person: { id: string; name: string };
      before: number;
      after: number;
    }[];
    refused: readonly string[];
    kept: number;
    drawn: number;
  } | null;
  error: Parameters<typeof RefusalAlert>[0]['error'];
  /** The number of reviews of the preview, and of all. */
  previewed: number;
  count: number;
  to: string | null;
}

export function ReassignImpact({ impact, error, previewed, count, to }: ReassignImpactProps) {
  const { t } = useTranslation();
  if (error) return <RefusalAlert error={error} />;
  if (!impact) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {previewed > 0 && t('manage.effect.working')}
      </Text>
    );
  }
  return (
    <section aria-labelledby="gift-effect" aria-live="polite">
      <Text size="sm" fw={600} id="gift-effect">
        {t('manage.effect.title')}
      </Text>
      {impact.loads.length === 0 && impact.drawn === 0 && (
        <Text size="sm">{t('manage.effect.none')}</Text>
      )}
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
      {impact.kept > 0 && <Text size="sm">{t('manage.effect.kept', { count: impact.kept })}</Text>}
      {impact.drawn > 0 && (
        <Text size="sm">{t('manage.effect.drawn', { count: impact.drawn })}</Text>
      )}
      {impact.refused.length > 0 && (
        <Text size="sm" c="var(--cs-warn)">
          {t(to ? 'manage.effect.refused' : 'manage.effect.refusedAll', {
            count: impact.refused.length,
          })}
        </Text>
      )}
      {count > previewed && (
        <Text size="xs" c="dimmed">
          {t('manage.effect.first', { count: previewed })}
        </Text>
      )}
    </section>
  );
}
