// What the person may decide, most urgent first.
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/states';

export function QueuePage() {
  const { t } = useTranslation();
  return <PageHeader title={t('queue.title')} />;
}
