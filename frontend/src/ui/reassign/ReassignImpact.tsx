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

export function ReassignImpact({ impact, error, ...of }: ReassignImpactProps) {
  const { t } = useTranslation();
  if (error) return <RefusalAlert error={error} />;
  // One region for both, because screen readers do not read a region that appears with its text.
  return (
    <div aria-live="polite">
      {impact ? (
        <Loads impact={impact} {...of} />
      ) : (
        <Text size="sm" c="dimmed">
          {of.previewed > 0 && t('manage.effect.working')}
        </Text>
      )}
    </div>
  );
}

function Loads({
  impact,
  previewed,
  count,
  to,
}: Omit<ReassignImpactProps, 'impact' | 'error'> & {
  impact: NonNullable<ReassignImpactProps['impact']>;
}) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="gift-effect">
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
