// Imports conflicts of interest from CSV. The effect of each line is previewed first; the import is
// all or nothing.
import { Button, FileButton, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { useCommand } from '../../graphql/command';
import type { ImportLineFragment } from '../../graphql/generated/graphql';
import { ButtonWithReason } from '../../ui/buttons';
import { Badge, type Tone } from '../../ui/StatusBadge';
import { RefusalAlert } from '../../ui/states';
import classes from './admin.module.css';
import { ImportConflicts, PreviewConflictImport } from './conflicts.graphql';

const example = 'email,counterparty,reason';
const appearance: Record<ImportLineFragment['result'], [Tone, 'check' | 'done' | 'refused']> = {
  DECLARED: ['good', 'check'],
  EXISTING: ['calm', 'done'],
  REFUSED: ['bad', 'refused'],
};

export function ImportDialog({
  onDone,
  onClose,
}: {
  onDone: (count: number) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const client = useClient();
  const [csv, setCsv] = useState('');
  const [preview, setPreview] = useState<{
    csv: string;
    lines: readonly ImportLineFragment[];
  } | null>(null);
  const [failure, setFailure] = useState<Parameters<typeof RefusalAlert>[0]['error']>(null);
  const command = useCommand(ImportConflicts, (data) => data.importConflicts);
  const [previewing, setPreviewing] = useState(false);
  const previewLines = preview?.csv === csv ? preview.lines : null;
  const declared = previewLines?.filter((line) => line.result === 'DECLARED').length ?? 0;
  const refused = previewLines?.some((line) => line.result === 'REFUSED') ?? false;
  const loadPreview = async () => {
    setPreviewing(true);
    const result = await client
      .query(PreviewConflictImport, { csv }, { requestPolicy: 'network-only' })
      .toPromise();
    setPreviewing(false);
    setFailure(result.error ?? null);
    if (result.data) setPreview({ csv, lines: result.data.previewConflictImport });
  };
  const importAll = async () => {
    if (await command.run({ csv })) onDone(declared);
  };
  const disabledReason = !previewLines
    ? t('admin.import.lookFirst')
    : refused
      ? t('admin.import.refused')
      : declared === 0
        ? t('admin.import.nothing')
        : null;
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={t('admin.import.title')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t('admin.import.intro')} <code className="cs-mono">{example}</code>
        </Text>
        <FileButton
          accept=".csv,text/csv,text/plain"
          onChange={(file) => void file?.text().then(setCsv)}
        >
          {(props) => (
            <Button variant="default" size="compact-sm" w="fit-content" {...props}>
              {t('admin.import.file')}
            </Button>
          )}
        </FileButton>
        <Textarea
          label={t('admin.import.table')}
          autosize
          minRows={4}
          maxRows={10}
          value={csv}
          onChange={(event) => setCsv(event.currentTarget.value)}
          classNames={{ input: 'cs-mono' }}
        />
        {previewLines && <Lines lines={previewLines} />}
        <RefusalAlert refusals={command.refusals} error={failure ?? command.error} />
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => void loadPreview()}
            loading={previewing}
            disabled={csv.trim() === ''}
          >
            {t('admin.import.look')}
          </Button>
          <ButtonWithReason
            disabledReason={disabledReason}
            loading={command.busy}
            onClick={() => void importAll()}
          >
            {t('admin.import.take', { count: declared })}
          </ButtonWithReason>
        </Group>
      </Stack>
    </Modal>
  );
}

function Lines({ lines }: { lines: readonly ImportLineFragment[] }) {
  const { t } = useTranslation();
  return (
    <ul className={classes.list} aria-label={t('admin.import.preview')}>
      {lines.map((line) => (
        <li key={line.line} className={classes.item}>
          <span className={classes.long}>
            <span className="cs-mono">{t('admin.import.line', { line: line.line })}</span>{' '}
            {line.email} · {line.counterparty}
            {line.message && (
              <Text size="xs" component="div">
                {line.message}
              </Text>
            )}
          </span>
          <Badge tone={appearance[line.result][0]} icon={appearance[line.result][1]}>
            {t(`admin.import.outcome.${line.result}`)}
          </Badge>
        </li>
      ))}
    </ul>
  );
}
