// The document of a sample beside the form of its check or settlement.
import { Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { QualityWorkQuery } from '../../graphql/generated/graphql';
import { documentTypeLabels } from '../../lib/labels';
import { PlainPages } from '../../ui/pages/PlainPages';
import { Timestamp } from '../../ui/values';
import { CheckForm } from './CheckForm';
import classes from './quality.module.css';
import { SampledDocuments } from './SampledDocuments';
import { SettleForm } from './SettleForm';

export type Task = NonNullable<QualityWorkQuery['qualityWork']['task']>;

export interface TaskProps {
  task: Task;
  onDone: (message: string, correctionId?: string | null) => void;
}

/** `focused`: the caller has just taken the sample, so the form has the focus. */
export function QualityTaskPanel({ task, focused, onDone }: TaskProps & { focused: boolean }) {
  const { t } = useTranslation();
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focused) form.current?.querySelector('input')?.focus();
  }, [focused]);
  return (
    <div className={classes.work}>
      <div className={classes.document}>
        {task.file && (
          <a href={task.file} target="_blank" rel="noreferrer">
            {t('quality.openFile')}
          </a>
        )}
        {task.pages.length > 0 && <PlainPages pages={task.pages} label={t('quality.document')} />}
        <SampledDocuments documents={task.supporting} />
      </div>
      <div className={`cs-card ${classes.form}`} ref={form}>
        <Title order={2} size="h4">
          {t(task.settles ? 'quality.settleTitle' : 'quality.checkTitle', {
            type: documentTypeLabels(t, [task.documentType]),
          })}
        </Title>
        <Text size="sm" c="dimmed">
          {t(task.settles ? 'quality.settleText' : 'quality.checkText')} {t('quality.until')}{' '}
          <Timestamp iso={task.until} as="moment" />
        </Text>
        {task.settles ? (
          <SettleForm task={task} onDone={onDone} />
        ) : (
          <CheckForm task={task} onDone={onDone} />
        )}
      </div>
    </div>
  );
}
