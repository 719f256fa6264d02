// What happened to a case and who looked at it.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function AuditPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('audit.title')} />;
}
