// Says that an unsaved draft was restored, and offers to discard it.
import { useTranslation } from 'react-i18next';
import { Notice } from '../../ui/states';
import classes from './definitions.module.css';

export function RestoredDraftNotice({ onDiscard }: { onDiscard: () => void }) {
  const { t } = useTranslation();
  return (
    <Notice tone="calm" icon="pen">
      {t('definitions.edit.kept')}{' '}
      <button type="button" className={classes.textButton} onClick={onDiscard}>
        {t('definitions.edit.discard')}
      </button>
    </Notice>
  );
}
