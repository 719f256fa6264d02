// The new accounts that another administrator has not confirmed yet.
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { Badge } from '../../ui/StatusBadge';
import classes from './admin.module.css';
import { ProposedAccounts } from './people.graphql';

export function PendingAccounts() {
  const { t } = useTranslation();
  const [{ data }] = useQuery({ query: ProposedAccounts, requestPolicy: 'cache-and-network' });
  // A change of an account that exists names its person; a new account has none yet.
  const accounts = (data?.controlChanges.nodes ?? []).filter(({ before }) => !before);
  if (accounts.length === 0) return null;
  return (
    <ul className={`cs-card ${classes.people}`} aria-label={t('admin.person.waiting')}>
      {accounts.map(({ id, subject }) => (
        <li key={id} className={classes.person}>
          <Text fw={600} className="cs-lines2">
            {subject}
          </Text>
          <div>
            <Badge tone="warn" icon="clock">
              {t('admin.person.waiting')}
            </Badge>
          </div>
          <Link to="/admin/controls">{t('titles.controls')}</Link>
        </li>
      ))}
    </ul>
  );
}
