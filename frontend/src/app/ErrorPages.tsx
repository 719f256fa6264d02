// The pages shown when an address does not exist or a page has failed.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../ui/states';

export function NotFound() {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon="search"
      title={t('app.notFound.title')}
      action={<Link to="/">{t('app.notFound.home')}</Link>}
    >
      {t('app.notFound.text')}
    </EmptyState>
  );
}

/**
 * PageError is also shown when a page's code cannot be loaded, because the server is down or was
 * upgraded.
 */
export function PageError() {
  const { t } = useTranslation();
  return (
    <main>
      <EmptyState
        icon="alert"
        title={t('app.crashed.title')}
        action={<Button onClick={() => location.reload()}>{t('app.crashed.again')}</Button>}
      >
        {t('app.crashed.text')}
      </EmptyState>
    </main>
  );
}
