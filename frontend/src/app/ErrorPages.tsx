// When there is no page, or a page has failed.
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

/** Also shown when a page cannot be loaded, because the server is away or has newer pages. */
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
