import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSubscription } from 'urql';
import { useSignedIn } from '../../lib/session';
import { Notice } from '../../ui/states';
import { ReturnedCounter } from './intake.graphql';

/** Says how many of the user's documents were returned to them, with a link to these. */
export function ReturnedNotice() {
  const { t } = useTranslation();
  const [{ data }] = useSubscription({ query: ReturnedCounter, pause: !useSignedIn() });
  const count = data?.notifications.returned ?? 0;
  if (count === 0) return null;
  return (
    <Notice tone="warn" icon="alert" live>
      <Text size="sm">{t('intake.returned', { count })}</Text>
      <Link to="/cases" search={{ status: 'returned' }}>
        {t('intake.showReturned', { count })}
      </Link>
    </Notice>
  );
}
