// The amounts up to which a person may act.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { MoneyText } from '../../ui/values';
import type { Limit } from './people';

export function Limits({ limits }: { limits: readonly Limit[] }) {
  const { t } = useTranslation();
  if (limits.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('admin.limit.none')}
      </Text>
    );
  }
  return (
    <div>
      {limits.map((limit) => (
        <Text size="sm" key={`${limit.role} ${limit.action} ${limit.documentType}`} component="div">
          {limit.action === 'decide' ? t('admin.limit.decide') : limit.action}{' '}
          {limit.amount ? (
            <>
              {t('admin.limit.upTo')} <MoneyText money={limit.amount} />
            </>
          ) : (
            t('admin.limit.unlimited')
          )}
          {limit.documentType !== '' && ` (${limit.documentType})`}
        </Text>
      ))}
    </div>
  );
}
