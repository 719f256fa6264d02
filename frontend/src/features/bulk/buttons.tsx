// The buttons of the commands on selected rows, which say for how many rows they are possible.
import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ExportFormat, exportFormats } from '../../lib/exports';
import type { Failure } from '../../lib/refusals';
import { saveCases } from '../../lib/save-cases';
import { ButtonWithReason } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { RefusalAlert } from '../../ui/states';
import classes from './bulk.module.css';
import type { Action, Share } from './plan';

interface CommandButtonProps {
  action: Action;
  share: Share;
  onBehalf: boolean;
  loading: boolean;
  onClick: () => void;
}

export function CommandButton({ action, share, onBehalf, loading, onClick }: CommandButtonProps) {
  const { t } = useTranslation();
  const count = share.targets.length;
  const reason = onBehalf ? t('bulk.ownName') : count === 0 ? t(`bulk.none.${action}`) : null;
  return (
    <ButtonWithReason
      disabledReason={loading ? null : reason}
      size="sm"
      {...(action !== 'approve' && { variant: 'default' })}
      loading={loading}
      onClick={onClick}
    >
      {t(`bulk.${action}`, { count })}
    </ButtonWithReason>
  );
}

/** Saves the selected cases as a file, and says how many of them it has. */
export function ExportButton({ ids }: { ids: readonly string[] }) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState<{ count: number; of: number } | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const save = async (format: ExportFormat) => {
    setBusy(true);
    setSaved(null);
    setFailure(null);
    const answer = await saveCases(format, ids);
    setBusy(false);
    if ('failure' in answer) setFailure(answer.failure);
    else setSaved({ count: answer.count, of: ids.length });
  };
  return (
    <>
      <Menu position="top-end">
        <Menu.Target>
          <Button
            variant="default"
            size="sm"
            loading={busy}
            leftSection={<Icon name="file" size={16} />}
          >
            {t('bulk.export', { count: ids.length })}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {exportFormats.map((format) => (
            <Menu.Item key={format} onClick={() => void save(format)}>
              {t(`ui.export.${format}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <div className={classes.answer} role="status">
        {saved && (
          <Text size="sm">
            {saved.count === saved.of
              ? t('bulk.exported', { count: saved.count })
              : t('bulk.exportedSome', { count: saved.count, of: saved.of })}
          </Text>
        )}
      </div>
      {failure && (
        <div className={classes.answer}>
          <RefusalAlert failure={failure} />
        </div>
      )}
    </>
  );
}
