// The id of a node, which can be given another one.
import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Design, DesignNode } from './design';
import classes from './design.module.css';
import { badId, renameNode } from './rename';

interface RenameProps {
  text: string;
  design: Design;
  node: DesignNode;
  /** `select` is the node to show afterwards. */
  onChange: (text: string, what: string, select: string) => void;
}

export function Rename({ text, design, node, onChange }: RenameProps) {
  const { t } = useTranslation();
  const [id, setId] = useState(node.id);
  const bad = id === node.id ? null : badId(design, node, id);
  return (
    <form
      className={classes.target}
      onSubmit={(event) => {
        event.preventDefault();
        if (!bad) onChange(renameNode(text, design, node, id), `rename ${node.id}`, id);
      }}
    >
      <TextInput
        size="sm"
        label={t('design.id')}
        classNames={{ input: 'cs-mono' }}
        maxLength={63}
        value={id}
        error={bad && t(`design.badId.${bad}`, { id })}
        onChange={(event) => setId(event.currentTarget.value)}
      />
      <Button type="submit" size="sm" variant="default" disabled={id === node.id || bad !== null}>
        {t('design.rename')}
      </Button>
      {id !== node.id && (
        <Text size="xs" c="dimmed">
          {t('design.renameWarning')}
        </Text>
      )}
    </form>
  );
}
