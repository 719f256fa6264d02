// The form of a node: its titles, its attributes, where it leads, and how it is moved or removed.
import { Button, Group, NativeSelect, Text, TextInput, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { comparableAttributes } from './attributes';
import { rejectedTarget, timeLimitTarget } from './branches';
import { CallForm } from './CallForm';
import { Connections, connectionName } from './Connections';
import {
  addBranch,
  addError,
  addNode,
  connect,
  fixedReason,
  moveNode,
  removeNode,
  setAttribute,
  setCancelsAll,
  setCodes,
  successorOf,
} from './change';
import { connectionId, connectionsOf, type Design, type DesignNode, titleOf } from './design';
import classes from './design.module.css';
import type { Path } from './edit-text';
import { Field } from './Field';
import { fieldKey, fieldsOf } from './fields';
import { immovableReason, placesFor } from './placement';
import { Rename } from './Rename';
import { SagaForm } from './SagaForm';
import type { DesignChoices } from './use-choices';

interface NodeFormProps {
  text: string;
  design: Design;
  node: DesignNode;
  /** The names of the nodes by id. */
  names: ReadonlyMap<string, string>;
  choices: DesignChoices;
  /** `select` is the node to show afterwards. */
  onChange: (text: string, what: string, select?: string | null) => void;
}

const languages = ['en', 'zh'] as const;

export function NodeForm({ text, design, node, names, choices, onChange }: NodeFormProps) {
  const { t } = useTranslation();
  const nameOf = (id: string) => names.get(id) ?? id;
  const set = (path: Path, value: unknown) =>
    onChange(setAttribute(text, node, path, value), `${node.id}/${path.join('/')}`);
  const setField = (path: Path, value: unknown) => {
    // The amount and the risk of bulk approvals are given together or not at all.
    if (path[0] !== 'bulk' || node.attributes.bulk !== undefined) return set(path, value);
    if (value !== undefined)
      set(['bulk'], { max_amount: 0, max_risk: 29, [String(path[1])]: value });
  };
  const kind = t(`definitions.kind.${node.kind}` as 'definitions.kind.review', {
    defaultValue: node.kind,
  });
  return (
    <section className={classes.form} aria-labelledby="node-form">
      <Title order={3} size="h4" id="node-form">
        {t('design.node', { kind, name: nameOf(node.id) })}
      </Title>
      <Rename {...{ text, design, node, onChange }} />
      {node.kind !== 'start' &&
        node.kind !== 'end' &&
        languages.map((language) => (
          <TextInput
            key={language}
            size="sm"
            label={t(`design.title.${language}`)}
            lang={language}
            maxLength={200}
            value={titleOf(node.attributes.title, language)}
            onChange={(event) => set(['title', language], event.currentTarget.value || undefined)}
          />
        ))}
      {node.kind === 'call' && <CallForm {...{ text, design, node, choices, onChange }} />}
      {fieldsOf(node, design.header.callable === true).map((spec) => (
        <Field
          key={`${node.id}/${fieldKey(spec)}`}
          spec={spec}
          value={valueAt(node.attributes, spec.path)}
          queues={choices.queues}
          onChange={(value) => setField(spec.path, value)}
        />
      ))}
      {node.kind === 'saga' && <SagaForm {...{ text, node, onChange }} />}
      <Connections
        node={node}
        targets={design.nodes
          // Nothing leads to the start; a text in which something does shows it.
          .filter(
            ({ id, kind }) =>
              id !== node.id &&
              (kind !== 'start' || connectionsOf(node).some(({ to }) => to === id)),
          )
          .map(({ id }) => ({ id, name: nameOf(id) }))}
        rules={choices.rules}
        attributes={comparableAttributes(design)}
        mayCall={choices.callable.length > 0}
        connect={(connection, to) =>
          onChange(connect(text, node, connection, to), connectionId(node.id, connection))
        }
        insert={(connection, added) => {
          const result = addNode(text, design, node, connection, added, choices.callable[0]);
          onChange(result.text, `add ${result.id}`, result.id);
        }}
        set={set}
        cancelAll={(connection, cancels) =>
          onChange(
            setCancelsAll(text, node, connection, cancels),
            `${connectionId(node.id, connection)} cancel`,
          )
        }
        addBranch={() =>
          onChange(addBranch(text, node, successorOf(node), 'risk >= 30'), `${node.id} branch`)
        }
        addError={() => onChange(addError(text, node, rejectedTarget(design)), `${node.id} error`)}
        setCodes={(index, codes) =>
          onChange(setCodes(text, node, index, codes), `${node.id}/errors/${index}`)
        }
        addTimeout={() => set(['timeout'], { after: '24h', to: timeLimitTarget(design, node) })}
      />
      <Placement {...{ text, design, node, nameOf, onChange }} />
    </section>
  );
}

function valueAt(attributes: Readonly<Record<string, unknown>>, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? at[key as keyof typeof at] : undefined),
    attributes,
  );
}

/** Moves the node to another place, or removes it. */
function Placement({
  text,
  design,
  node,
  nameOf,
  onChange,
}: Pick<NodeFormProps, 'text' | 'design' | 'node' | 'onChange'> & {
  nameOf: (id: string) => string;
}) {
  const { t } = useTranslation();
  const fixed = fixedReason(design, node);
  if (fixed)
    return (
      <Text size="xs" c="dimmed">
        {t(`design.fixed.${fixed}`)}
      </Text>
    );
  const places = placesFor(design, node);
  const movable = immovableReason(design, node) === null;
  const move = (id: string) => {
    const place = places.find((one) => one.id === id);
    if (place)
      onChange(
        moveNode(text, design, node, place.from, place.connection),
        `move ${node.id} ${id}`,
        node.id,
      );
  };
  return (
    <Group gap="xs" align="end">
      {movable && (
        <NativeSelect
          size="sm"
          label={t('design.move')}
          value=""
          data={[
            { value: '', label: t('design.moveChoose') },
            ...places.map(({ from, connection, id }) => ({
              value: id,
              label: t('design.place', {
                node: nameOf(from.id),
                way: connectionName(t, from, connection),
              }),
            })),
          ]}
          onChange={(event) => move(event.currentTarget.value)}
        />
      )}
      <Button
        size="sm"
        variant="default"
        onClick={() => onChange(removeNode(text, design, node), `remove ${node.id}`, null)}
      >
        {t('design.remove')}
      </Button>
    </Group>
  );
}
