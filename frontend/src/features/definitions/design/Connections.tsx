// Where a case goes after a node: each connection with its target, its condition, and a step to insert.
import { ActionIcon, Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeclaredAttribute } from '../../../lib/attributes';
import { Icon } from '../../../ui/Icon';
import { type AddableKind, addableKinds } from './change';
import { type Connection, connectionId, connectionsOf, type DesignNode } from './design';
import classes from './design.module.css';
import { DurationField } from './Field';
import { GuardForm } from './GuardForm';

export interface ConnectionCommands {
  connect: (connection: Connection, to: string) => void;
  insert: (connection: Connection, kind: AddableKind) => void;
  set: (path: Connection['path'], value: unknown) => void;
  cancelAll: (connection: Connection, cancels: boolean) => void;
  addBranch: () => void;
  addTimeout: () => void;
  addError: () => void;
  setCodes: (index: number, codes: string) => void;
}

interface ConnectionsProps extends ConnectionCommands {
  node: DesignNode;
  /** Every node with its name, in the order of the process. */
  targets: readonly { id: string; name: string }[];
  rules: readonly string[];
  attributes: readonly DeclaredAttribute[];
  /** Whether there are processes to call. */
  mayCall: boolean;
}

/** What has to happen so that a case takes the connection. */
export function connectionName(
  t: TFunction<'translation'>,
  node: DesignNode,
  one: Connection,
): string {
  switch (one.kind) {
    case 'verdict':
      return t(`design.verdict.${one.label}` as 'design.verdict.approve', {
        defaultValue: one.label,
      });
    case 'return':
      return t('design.verdict.return');
    case 'branch':
      return t('design.branch', { number: Number(one.path[1]) + 1 });
    case 'default':
      return t('design.otherwise');
    case 'timeout':
      return t('design.timeout');
    case 'error':
      return one.label === '' ? t('design.failed') : t('design.failedWith', { codes: one.label });
    case 'outcome':
      return t('design.outcome', { name: one.label });
    default:
      return node.kind === 'fork'
        ? t('design.parallel', { number: Number(one.path[1]) + 1 })
        : t('design.next');
  }
}

export function Connections(props: ConnectionsProps) {
  const { t } = useTranslation();
  const { node } = props;
  const connections = connectionsOf(node);
  const branching = node.kind === 'exclusive' || node.kind === 'fork';
  const timed = ['review', 'external'].includes(node.kind) && node.attributes.duty !== 'repair';
  return (
    <div className={classes.connections}>
      {connections.map((connection) => (
        <ConnectionRow key={connectionId(node.id, connection)} connection={connection} {...props} />
      ))}
      {branching && (
        <Button size="compact-sm" variant="default" onClick={props.addBranch}>
          {t('design.addBranch')}
        </Button>
      )}
      {timed && node.attributes.timeout === undefined && (
        <Button size="compact-sm" variant="default" onClick={props.addTimeout}>
          {t('design.addTimeout')}
        </Button>
      )}
      {(node.kind === 'stage' || node.kind === 'external') && (
        <Button size="compact-sm" variant="default" onClick={props.addError}>
          {t('design.addError')}
        </Button>
      )}
    </div>
  );
}

function ConnectionRow({ connection, ...props }: ConnectionsProps & { connection: Connection }) {
  const { t } = useTranslation();
  const { node, targets, rules, attributes, mayCall, connect, insert, set, cancelAll } = props;
  const name = connectionName(t, node, connection);
  const { kind, path, to } = connection;
  /** The entry of the connection in the node, if it can be removed. */
  const entry =
    kind === 'branch' || kind === 'error'
      ? path.slice(0, 2)
      : kind === 'timeout'
        ? ['timeout']
        : node.kind === 'fork' && connectionsOf(node).length > 2
          ? path
          : null;
  const known = to === '' || targets.some(({ id }) => id === to);
  return (
    <div className={classes.connection}>
      {kind === 'branch' && (
        <GuardForm
          when={connection.label}
          rules={rules}
          attributes={attributes}
          onChange={(when) => set([...path.slice(0, 2), 'when'], when)}
        />
      )}
      {kind === 'error' && (
        <CodesField
          value={connection.label}
          onChange={(codes) => props.setCodes(Number(path[1]), codes)}
        />
      )}
      {kind === 'timeout' && (
        <DurationField
          label={t('design.field.after')}
          value={connection.label}
          usual=""
          onChange={(value) => value !== undefined && set(['timeout', 'after'], value)}
        />
      )}
      <div className={classes.target}>
        <NativeSelect
          size="sm"
          label={name}
          value={to}
          error={known ? undefined : t('design.unknownTarget', { id: to })}
          data={[
            ...(to === '' ? [{ value: '', label: t('design.reEntry') }] : []),
            ...(known ? [] : [{ value: to, label: to }]),
            ...targets.map(({ id, name: label }) => ({ value: id, label })),
          ]}
          onChange={(event) => connect(connection, event.currentTarget.value)}
        />
        {entry && (
          <ActionIcon
            variant="subtle"
            aria-label={t('design.removeConnection', { name })}
            onClick={() => set(entry, undefined)}
          >
            <Icon name="cross" size={14} />
          </ActionIcon>
        )}
      </div>
      {(kind === 'verdict' || kind === 'outcome') && connection.cancelsAll !== null && (
        <Checkbox
          size="xs"
          label={t('design.cancelAll')}
          aria-label={t('design.cancelAllOf', { name })}
          checked={connection.cancelsAll}
          onChange={(event) => cancelAll(connection, event.currentTarget.checked)}
        />
      )}
      {kind !== 'return' && (
        <NativeSelect
          size="xs"
          aria-label={t('design.insert', { name })}
          value=""
          data={[
            { value: '', label: t('design.insertShort') },
            ...addableKinds
              .filter((one) => one !== 'call' || mayCall)
              .map((one) => ({ value: one, label: t(`design.add.${one}`) })),
          ]}
          onChange={(event) => insert(connection, event.currentTarget.value as AddableKind)}
        />
      )}
    </div>
  );
}

/** The codes of failures. They are written when the input is left, because a comma ends no code. */
function CodesField({ value, onChange }: { value: string; onChange: (codes: string) => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      size="xs"
      label={t('design.codes')}
      placeholder={t('design.codesAll')}
      maxLength={500}
      value={typed ?? value}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        if (typed !== null && typed !== value) onChange(typed);
        setTyped(null);
      }}
    />
  );
}
