// The processes that cases go through.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function DefinitionsPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('definitions.title')} />;
}
