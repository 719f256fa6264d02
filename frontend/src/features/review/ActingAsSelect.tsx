// Chooses on whose behalf the user claims and decides, if others have delegated to them.
import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './review.module.css';
import type { ActingAs } from './use-acting-as';

export function ActingAsSelect({ actingAs, disabled }: { actingAs: ActingAs; disabled: boolean }) {
  const { t } = useTranslation();
  if (actingAs.delegators.length === 0) return null;
  const own =
    actingAs.mayActAsSelf || actingAs.chosen === null
      ? [{ value: '', label: t('review.name.own') }]
      : [];
  return (
    <div className={classes.banner}>
      <NativeSelect
        maw="24rem"
        label={t('review.name.label')}
        description={actingAs.chosen ? t('review.name.hint') : undefined}
        disabled={disabled}
        value={actingAs.chosen?.id ?? ''}
        onChange={(event) => actingAs.choose(event.currentTarget.value || null)}
        data={[
          ...own,
          ...actingAs.delegators.map(({ id, name: label }) => ({ value: id ?? '', label })),
        ]}
      />
    </div>
  );
}
