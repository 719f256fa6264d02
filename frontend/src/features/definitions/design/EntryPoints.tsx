// Where a case continues after a return, a new document or entered values, and what closes it if it is
// abandoned.
import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Design, type DesignNode, textOf } from './design';

interface EntryPointsProps {
  design: Design;
  /** The names of the nodes by id. */
  names: ReadonlyMap<string, string>;
  onChange: (path: readonly string[], value: string | undefined) => void;
}

const entryPoints = ['re_enter', 'on_replace', 'on_enter', 'on_abandon'] as const;

/** Whether a case can continue at the node. Only a stage that closes a case as abandoned abandons it. */
function fits(entry: (typeof entryPoints)[number], { kind, attributes }: DesignNode): boolean {
  if (entry === 'on_abandon') return attributes.outcome === 'abandoned';
  return kind !== 'start' && kind !== 'end';
}

export function EntryPoints({ design, names, onChange }: EntryPointsProps) {
  const { t } = useTranslation();
  return entryPoints.map((entry) => {
    const present = textOf(design.header[entry]);
    const known = design.nodes.filter((node) => fits(entry, node)).map(({ id }) => id);
    const ids = present === '' || known.includes(present) ? known : [present, ...known];
    return (
      <NativeSelect
        key={entry}
        size="sm"
        label={t(`design.entry.${entry}`)}
        value={present}
        error={
          present === '' || design.nodes.some(({ id }) => id === present)
            ? undefined
            : t('design.unknownTarget', { id: present })
        }
        data={[
          { value: '', label: t(`design.entryUsual.${entry}`) },
          ...ids.map((id) => ({ value: id, label: names.get(id) ?? id })),
        ]}
        onChange={(event) => onChange([entry], event.currentTarget.value || undefined)}
      />
    );
  });
}
