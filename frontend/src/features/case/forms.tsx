// The forms of the recovery actions.
import { Button, Group, Progress, Stack, Text, Textarea } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AbandonCaseInput } from '../../graphql/generated/bounds';
import { faultOf, uploadLimits } from '../../lib/files';
import { sizeText } from '../../lib/format';
import { useStore } from '../../lib/store';
import { ButtonWithReason } from '../../ui/buttons';
import { Dropzone } from '../../ui/Dropzone';
import { RefusalAlert } from '../../ui/states';

interface FormProps {
  busy: boolean;
  onBack: () => void;
}

/** Chooses one file and shows its problem if the browser can detect one. */
export function FileChooser({
  file,
  onFile,
}: {
  file: File | null;
  onFile: (file: File | null) => void;
}) {
  const { t, i18n } = useTranslation();
  const limits = useStore(uploadLimits);
  const fault = file && faultOf(file, limits);
  return (
    <Stack gap="xs">
      <Dropzone
        compact
        label={file ? t('case.replace.other') : t('case.replace.choose')}
        hint={t('intake.hint', { megabytes: limits.maxBytes >> 20 })}
        accept={[...limits.mediaTypes, '.xml', '.tif', '.tiff'].join(',')}
        onFiles={([chosen]) => onFile(chosen ?? null)}
      />
      {file && (
        <Text size="sm" className="cs-lines2" title={file.name}>
          {file.name} · {sizeText(file.size, i18n.language)}
        </Text>
      )}
      {fault && <RefusalAlert refusals={[{ code: fault, message: t(`refusals.${fault}`) }]} />}
    </Stack>
  );
}

/** Whether the browser can tell that the server would refuse the file. */
export function useFileFault(file: File | null): boolean {
  const limits = useStore(uploadLimits);
  return file !== null && faultOf(file, limits) !== null;
}

interface ReplaceFormProps extends FormProps {
  onSend: (file: File, onProgress: (progress: number) => void, signal: AbortSignal) => void;
}

export function ReplaceForm({ busy, onBack, onSend }: ReplaceFormProps) {
  const { t } = useTranslation();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState(0);
  const cancel = useRef<AbortController | null>(null);
  const invalidFile = useFileFault(file);
  useEffect(() => () => cancel.current?.abort(), []);
  const send = () => {
    if (!file) return;
    cancel.current = new AbortController();
    onSend(file, setProgress, cancel.current.signal);
  };
  return (
    <Stack gap="sm">
      <FileChooser file={file} onFile={setFile} />
      {busy && (
        <Progress value={progress * 100} size="sm" aria-label={t('case.replace.progress')} />
      )}
      <FormActions
        busy={busy}
        disabledReason={!file || invalidFile ? t('case.replace.needed') : null}
        label={t('case.replace.send')}
        onSend={send}
        onBack={onBack}
      />
    </Stack>
  );
}

interface AbandonFormProps extends FormProps {
  /** Nothing can be sent any more; what was typed is still shown. */
  closed?: boolean;
  onSend: (reason: string) => void;
}

export function AbandonForm({ busy, closed = false, onBack, onSend }: AbandonFormProps) {
  const { t } = useTranslation();
  const [reason, setReason] = useState('');
  return (
    <Stack gap="sm">
      <Text size="sm">{t('case.abandon.text')}</Text>
      <Textarea
        label={t('case.abandon.reason')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={AbandonCaseInput.reason}
        autoFocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {!closed && (
        <FormActions
          busy={busy}
          danger
          disabledReason={reason.trim() === '' ? t('ui.reasonNeeded') : null}
          label={t('case.abandon.send')}
          onSend={() => onSend(reason.trim())}
          onBack={onBack}
        />
      )}
    </Stack>
  );
}

interface FormActionsProps extends FormProps {
  disabledReason: string | null;
  label: string;
  danger?: boolean;
  onSend: () => void;
}

export function FormActions({
  busy,
  disabledReason,
  label,
  danger,
  onSend,
  onBack,
}: FormActionsProps) {
  const { t } = useTranslation();
  return (
    <Group gap="xs">
      <ButtonWithReason
        disabledReason={disabledReason}
        loading={busy}
        onClick={onSend}
        {...(danger && { color: 'red.8' })}
      >
        {label}
      </ButtonWithReason>
      <Button variant="default" onClick={onBack} disabled={busy}>
        {t('ui.cancel')}
      </Button>
    </Group>
  );
}
