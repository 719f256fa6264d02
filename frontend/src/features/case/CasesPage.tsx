// Every case the person may read.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function CasesPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('case.title')} />;
}
