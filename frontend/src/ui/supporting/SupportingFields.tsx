// The supporting documents that a process asks for, as file choosers: one for each kind.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { faultOf, uploadLimits } from '../../lib/files';
import { sizeText } from '../../lib/format';
import { useStore } from '../../lib/store';
import {
  type ChosenDocument,
  type DeclaredDocument,
  documentLabel,
  roomFor,
  type SupportingFile,
} from '../../lib/supporting';
import { Dropzone } from '../Dropzone';
import { RefusalAlert } from '../states';

interface SupportingFieldsProps {
  declared: readonly DeclaredDocument[];
  /** The documents that the case has. */
  stored?: readonly SupportingFile[];
  chosen: readonly ChosenDocument[];
  onChange: (chosen: ChosenDocument[]) => void;
}

export function SupportingFields({
  declared,
  stored = [],
  chosen,
  onChange,
}: SupportingFieldsProps) {
  const { t } = useTranslation();
  if (declared.length === 0) return null;
  return (
    <fieldset className="cs-attributes">
      <legend>{t('supporting.title')}</legend>
      <div className="cs-attribute-fields">
        {declared.map((one) => (
          <KindField
            key={one.kind}
            declared={one}
            stored={stored}
            chosen={chosen}
            onChange={onChange}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface KindFieldProps extends Required<Omit<SupportingFieldsProps, 'declared'>> {
  declared: DeclaredDocument;
}

function KindField({ declared, stored, chosen, onChange }: KindFieldProps) {
  const { t, i18n } = useTranslation();
  const limits = useStore(uploadLimits);
  const [wanted, setWanted] = useState<number | null>(null);
  const { kind, required } = declared;
  const label = documentLabel(declared, i18n.language);
  const room = roomFor(declared, chosen, stored);
  const replaceable = stored.filter(
    (one) =>
      one.kind === kind && one.current && !chosen.some(({ replaces }) => replaces === one.number),
  );
  const mine = chosen.filter((one) => one.kind === kind);
  const replaces =
    wanted !== null && replaceable.some(({ number }) => number === wanted)
      ? wanted
      : room > 0
        ? null
        : (replaceable[0]?.number ?? null);
  const full = room <= 0 && replaceable.length === 0;
  return (
    <Stack gap="xs">
      {replaceable.length > 0 && (
        <NativeSelect
          size="xs"
          label={t('supporting.instead', { kind: label })}
          value={String(replaces ?? '')}
          data={[
            ...(room > 0 ? [{ value: '', label: t('supporting.further') }] : []),
            ...replaceable.map(({ number, fileName }) => ({
              value: String(number),
              label: t('supporting.insteadOf', { file: fileName }),
            })),
          ]}
          onChange={(event) => setWanted(Number(event.currentTarget.value) || null)}
        />
      )}
      <Dropzone
        compact
        label={t(required ? 'supporting.chooseRequired' : 'supporting.choose', { kind: label })}
        hint={
          full
            ? t('supporting.full', { count: declared.max })
            : t('supporting.room', { count: room })
        }
        disabled={full}
        accept={[...limits.mediaTypes, '.xml', '.tif', '.tiff'].join(',')}
        onFiles={([file]) => file && onChange([...chosen, { kind, file, replaces }])}
      />
      {mine.map((one) => (
        <ChosenFile
          key={`${one.file.name} ${one.file.lastModified} ${one.file.size}`}
          file={one.file}
          onRemove={() => onChange(chosen.filter((other) => other !== one))}
        />
      ))}
    </Stack>
  );
}

function ChosenFile({ file, onRemove }: { file: File; onRemove: () => void }) {
  const { t, i18n } = useTranslation();
  const fault = faultOf(file, useStore(uploadLimits));
  return (
    <>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Text size="sm" className="cs-lines2" title={file.name}>
          {file.name} · {sizeText(file.size, i18n.language)}
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t('supporting.remove', { name: file.name })}
          onClick={onRemove}
        >
          {t('supporting.removeShort')}
        </Button>
      </Group>
      {fault && <RefusalAlert refusals={[{ code: fault, message: t(`refusals.${fault}`) }]} />}
    </>
  );
}
