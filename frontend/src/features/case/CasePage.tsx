// One case: where it stands, what happened, what can be done.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function CasePage() {
  const { t } = useTranslation();
  return <PageHeader title={t('case.title')} />;
}
