// The rows that were found in a region of the page, before they become line items: what each column means
// can be changed.
import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './line-grid.module.css';
import { type Column, columns, type LineRow } from './line-rows';
import { itemsOf, type PageTable, type Role } from './lines-from-page';

interface LinesPreviewProps {
  /** Null if the region has no words. */
  table: PageTable | null;
  page: number;
  labels: Record<Column, string>;
  onTake: (rows: readonly LineRow[], replace: boolean) => void;
  onClose: () => void;
}

/** More rows of the page would be a list to read. */
const shownRows = 12;

export function LinesPreview({ table, page, labels, onTake, onClose }: LinesPreviewProps) {
  const { t } = useTranslation();
  const [roles, setRoles] = useState<readonly Role[]>(table?.roles ?? []);
  const items = useMemo(() => (table ? itemsOf(table, roles, 0) : []), [table, roles]);
  const setRole = (at: number, role: Role) =>
    // One column for each meaning; the other one is left out.
    setRoles((now) =>
      now.map((one, index) => (index === at ? role : one === role ? 'ignore' : one)),
    );
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={t('lines.edit.preview.title')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <Stack>
        <Text size="sm" role="status">
          {items.length === 0
            ? t('lines.edit.preview.none')
            : t('lines.edit.preview.found', { count: items.length, page })}
        </Text>
        {table && (
          <section
            className={classes.preview}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus
            tabIndex={0}
            aria-label={t('lines.edit.preview.firstRows', {
              count: Math.min(shownRows, table.rows.length),
            })}
          >
            <table className="cs-table">
              <thead>
                <tr>
                  {roles.map((role, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their order
                    <th key={at}>
                      <NativeSelect
                        size="xs"
                        aria-label={t('lines.edit.preview.role', { number: at + 1 })}
                        value={role}
                        onChange={(event) => setRole(at, event.currentTarget.value as Role)}
                        data={[
                          { value: 'ignore', label: t('lines.edit.preview.ignore') },
                          ...columns.map((column) => ({ value: column, label: labels[column] })),
                        ]}
                      />
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {table.rows.slice(0, shownRows).map((cells, row) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows never change their order
                  <tr key={row}>
                    {cells.map((cell, at) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: as above
                      <td key={at}>
                        <bdi>{cell}</bdi>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button
            variant="default"
            disabled={items.length === 0}
            onClick={() => onTake(items, false)}
          >
            {t('lines.edit.preview.append')}
          </Button>
          <Button disabled={items.length === 0} onClick={() => onTake(items, true)}>
            {t('lines.edit.preview.replace')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
