// Where documents come in.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function IntakePage() {
  const { t } = useTranslation();
  return <PageHeader title={t('intake.title')} />;
}
