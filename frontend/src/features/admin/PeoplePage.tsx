// People and what they may do.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function PeoplePage() {
  const { t } = useTranslation();
  return <PageHeader title={t('admin.title')} />;
}
