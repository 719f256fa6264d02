// Overdue work, and giving it to others.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function ManagePage() {
  const { t } = useTranslation();
  return <PageHeader title={t('manage.title')} />;
}
