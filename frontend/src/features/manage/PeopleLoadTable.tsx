// The reviewers and the number of their open reviews.
import { Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { PeopleLoadQuery } from '../../graphql/generated/graphql';
import { queueLabels } from '../../lib/labels';
import type { Role } from '../../lib/session';
import { BarChart } from '../../ui/BarChart';
import { LoadingState } from '../../ui/states';
import classes from './manage.module.css';

type Person = PeopleLoadQuery['people'][number];

/** The number of people in the chart. */
const chartLimit = 15;

/** The reviewers who work queues, the busiest first. */
export function workers(people: readonly Person[]): Person[] {
  return people
    .filter((person) => person.queues.length > 0 && !person.disabled)
    .sort((a, b) => (b.openReviews ?? 0) - (a.openReviews ?? 0) || a.name.localeCompare(b.name));
}

export function PeopleLoadTable({ people }: { people: readonly Person[] | undefined }) {
  const { t } = useTranslation();
  if (!people) return <LoadingState lines={4} />;
  const shown = workers(people);
  return (
    <section aria-labelledby="people-load">
      <Title order={2} id="people-load" mb={4}>
        {t('manage.people.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {shown.length === 0 ? t('manage.people.none') : t('manage.people.intro')}
      </Text>
      {shown.length > 0 && (
        <div className={`cs-card ${classes.sideBySide}`}>
          <BarChart
            bars={shown
              .filter((person) => person.openReviews !== null)
              .slice(0, chartLimit)
              .map((person) => ({
                key: person.id,
                label: person.name,
                value: person.openReviews ?? 0,
              }))}
          />
          <table className={`cs-table ${classes.load}`} aria-labelledby="people-load">
            <thead>
              <tr>
                <th>{t('manage.people.name')}</th>
                <th>{t('manage.people.queues')}</th>
                <th data-number>{t('manage.people.load')}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((person) => (
                <tr key={person.id}>
                  <td>
                    <span className="cs-lines2" title={person.name}>
                      {person.name}
                    </span>
                    <Text size="xs" c="dimmed">
                      {person.roles
                        .map((role) => t(`app.roles.${role.toLowerCase() as Role}`))
                        .join(', ')}
                    </Text>
                  </td>
                  <td>{queueLabels(t, person.queues)}</td>
                  <td data-number>{person.openReviews ?? t('manage.people.hidden')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
