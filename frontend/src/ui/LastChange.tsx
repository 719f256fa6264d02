// Who changed a case last, shown with each refusal because another person has changed it.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { eventMessage } from '../lib/event-labels';
import { lastChangeByOther } from '../lib/last-change';
import { usePerson } from '../lib/session';
import { StaleNote } from './stale-note';
import { PersonName, Timestamp } from './values';

type ChangeEvent = Parameters<typeof eventMessage>[2] & {
  type: string;
  at: string;
  actor: { id: string; name: string } | null;
};

/** Nothing if the page has received no change by another person that the user may see. */
export function LastChange({ events }: { events: readonly ChangeEvent[] }) {
  const { t, i18n } = useTranslation();
  const change = lastChangeByOther(events, usePerson()?.id ?? null);
  if (!change?.actor) return null;
  return (
    <Text size="sm" data-last-change>
      {t('events.lastChange')} <PersonName person={change.actor} />,{' '}
      <Timestamp iso={change.at} as="moment" />: {eventMessage(t, i18n.language, change)}
    </Text>
  );
}

/** Says in all forms of a case who changed it last, when one of them is refused for that. */
export function WithLastChange({
  events,
  children,
}: {
  events: readonly ChangeEvent[];
  children: ReactNode;
}) {
  return <StaleNote value={<LastChange events={events} />}>{children}</StaleNote>;
}
