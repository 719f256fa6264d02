// The refusal of a command about the sample that the user works on.
import { Text } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice, RefusalAlert } from '../../ui/states';

/** A sample that is not found any more was sent or released elsewhere, or its time has passed. */
export function TaskRefusal({ refusals = [], ...rest }: ComponentProps<typeof RefusalAlert>) {
  const { t } = useTranslation();
  if (!refusals?.some(({ code }) => code === 'NotFound'))
    return <RefusalAlert refusals={refusals} {...rest} />;
  return (
    <Notice tone="warn" icon="person" live>
      <Text size="sm" fw={600}>
        {t('quality.notYours')}
      </Text>
      <Text size="sm">{t('quality.notYoursText')}</Text>
    </Notice>
  );
}
