// Selects the version of a process or rule set, and restores an older one.
import { Group, NativeSelect, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Published, type PublishedVersion } from './Published';
import { RestoreButton } from './RestoreButton';
import type { Kind } from './version-commands';

interface Version extends PublishedVersion {
  key: string;
  version: number;
  newest: boolean;
}

export interface VersionBarProps {
  kind: Kind;
  versions: readonly Version[];
  selected: Version;
  mayPropose: boolean;
  /** Shows another version; an empty search shows the newest. */
  onChoose: (search: { version?: number }) => void;
  onChanged: () => void;
  /** A note for versions that are no longer active. */
  older?: string;
}

export function VersionBar({
  kind,
  versions,
  selected,
  mayPropose,
  onChoose,
  onChanged,
  older,
}: VersionBarProps) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" align="flex-end" mb="sm">
      <NativeSelect
        label={t('definitions.versionLabel')}
        value={String(selected.version)}
        onChange={(event) => {
          const chosen = Number(event.currentTarget.value);
          onChoose(chosen === versions[0]?.version ? {} : { version: chosen });
        }}
        data={versions.map((one) => ({
          value: String(one.version),
          label: t(one.newest ? 'definitions.versionInForce' : 'definitions.version', {
            version: one.version,
          }),
        }))}
      />
      <div>
        <Published version={selected} />
        {!selected.newest && older && <Text size="xs">{older}</Text>}
        {!selected.newest && mayPropose && (
          <RestoreButton
            kind={kind}
            definition={selected}
            newest={versions.find((one) => one.newest)?.version ?? selected.version}
            onChanged={onChanged}
          />
        )}
      </div>
    </Group>
  );
}
