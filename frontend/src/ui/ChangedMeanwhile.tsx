// What another person has changed while a form was open.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Notice } from './states';

export interface ChangedField {
  label: string;
  /** The present value as the form shows it. */
  value: string;
}

export function ChangedMeanwhile({ fields }: { fields: readonly ChangedField[] }) {
  const { t } = useTranslation();
  if (fields.length === 0) return null;
  return (
    <Notice tone="warn" icon="alert" live>
      <Text size="sm" fw={600}>
        {t('ui.changedMeanwhile')}
      </Text>
      {fields.map(({ label, value }) => (
        <Text key={label} size="sm">
          {t('ui.changedField', { label, value: value || t('ui.none') })}
        </Text>
      ))}
    </Notice>
  );
}
