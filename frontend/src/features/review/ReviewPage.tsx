// The document beside its fields, and the decision.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function ReviewPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('review.title')} />;
}
