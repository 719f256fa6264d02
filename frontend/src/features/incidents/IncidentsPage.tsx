// Steps that failed for good, by cause.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function IncidentsPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('incidents.title')} />;
}
