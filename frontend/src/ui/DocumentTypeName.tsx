// The name of a document type in the language of the page.
import { useTranslation } from 'react-i18next';

export function DocumentTypeName({ type }: { type: string }) {
  const { t } = useTranslation();
  if (type === '') return <>{t('ui.types.other')}</>;
  return (
    <>{t(`ui.types.${type}` as 'ui.types.invoice', { defaultValue: type.replaceAll('_', ' ') })}</>
  );
}
