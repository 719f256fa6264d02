// The supporting documents in the question before an approval, and which of them the user has not opened.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { documentLabel } from '../../lib/supporting';
import { Notice } from '../../ui/states';
import type { SupportingState } from './use-supporting';

export function AskedDocuments({ supporting }: { supporting: SupportingState }) {
  const { t, i18n } = useTranslation();
  const asked = (supporting.documents ?? []).filter(({ current }) => current);
  if (supporting.documents && asked.length === 0) return null;
  const unopened = asked.filter(({ number }) => !supporting.opened.includes(number));
  const warns = supporting.documents === null || unopened.length > 0;
  return (
    <Notice tone={warns ? 'warn' : 'calm'} icon={warns ? 'alert' : 'file'}>
      <Text size="sm" fw={600}>
        {supporting.documents === null
          ? t('supporting.ask.unknown')
          : t('supporting.ask.title', { count: unopened.length })}
      </Text>
      <ul className="cs-supporting-asked">
        {asked.map((one) => (
          <li key={one.number}>
            {documentLabel(one, i18n.language)}: {one.fileName}
            {unopened.includes(one) && ` ${t('supporting.ask.unopened')}`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
