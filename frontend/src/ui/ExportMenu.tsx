// The menu of exports.
import { Button, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type ExportKind, exportAddress, exportFormats } from '../lib/exports';
import { Icon } from './Icon';

/** A button that offers an export as a file in each format. */
export function ExportMenu({
  kind,
  filters,
}: {
  kind: ExportKind;
  filters: Record<string, string | undefined>;
}) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="file" size={16} />}>
          {t('ui.export.button')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {exportFormats.map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={exportAddress(kind, format, filters)}
            download
          >
            {t(`ui.export.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
