// In whose name the person claims and decides, where a name was lent to them.
import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './review.module.css';
import type { ActingName } from './use-name';

export function NameChoice({ name, disabled }: { name: ActingName; disabled: boolean }) {
  const { t } = useTranslation();
  if (name.lent.length === 0) return null;
  const own = name.own || name.chosen === null ? [{ value: '', label: t('review.name.own') }] : [];
  return (
    <div className={classes.standing}>
      <NativeSelect
        maw="24rem"
        label={t('review.name.label')}
        description={name.chosen ? t('review.name.hint') : undefined}
        disabled={disabled}
        value={name.chosen?.id ?? ''}
        onChange={(event) => name.choose(event.currentTarget.value || null)}
        data={[...own, ...name.lent.map(({ id, name: who }) => ({ value: id ?? '', label: who }))]}
      />
    </div>
  );
}
