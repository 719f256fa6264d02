// Asks which connection of a node a drawn arrow is, if the node has or can have several.
import { Button, Modal, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { connectionName } from './Connections';
import { connectionId, type DesignNode } from './design';
import type { Outlet } from './outlets';

interface OutletDialogProps {
  node: DesignNode;
  outlets: readonly Outlet[];
  nameOf: (id: string) => string;
  /** Where the arrow ends. */
  to: string;
  onChoose: (outlet: Outlet) => void;
  onClose: () => void;
}

export function OutletDialog(props: OutletDialogProps) {
  const { node, outlets, nameOf, to, onChoose, onClose } = props;
  const { t } = useTranslation();
  const nameOfOutlet = ({ connection, isNew }: Outlet) => {
    const name = connectionName(t, node, connection);
    if (isNew) return t('design.drag.newOutlet', { name });
    const now = connection.to === '' ? t('design.reEntry') : nameOf(connection.to);
    return t('design.drag.outlet', { name, now });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('design.drag.which', { from: nameOf(node.id), to: nameOf(to) })}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <Stack gap="xs">
        {outlets.map((outlet) => (
          <Button
            key={connectionId(node.id, outlet.connection)}
            variant="default"
            justify="flex-start"
            onClick={() => onChoose(outlet)}
          >
            {nameOfOutlet(outlet)}
          </Button>
        ))}
      </Stack>
    </Modal>
  );
}
