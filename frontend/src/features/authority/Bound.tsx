// The amount up to which a role or a person decides.
import { useTranslation } from 'react-i18next';
import type { PolicyBoundFragment } from '../../graphql/generated/graphql';
import { MoneyText } from '../../ui/values';

export function Bound({ bound }: { bound: PolicyBoundFragment | null | undefined }) {
  const { t } = useTranslation();
  if (!bound) return <span>{t('authority.bound.none')}</span>;
  const more = [
    ...(bound.amount && bound.unknown ? [t('authority.bound.unknown')] : []),
    ...(bound.credits ? [t('authority.bound.credits')] : []),
  ];
  return (
    <span>
      {bound.amount ? <MoneyText money={bound.amount} /> : t('authority.bound.any')}
      {more.length > 0 && ` (${more.join('; ')})`}
    </span>
  );
}
