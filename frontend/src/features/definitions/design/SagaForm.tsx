// The calls of a saga, in the order in which they are made.
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../ui/Icon';
import { setAttribute } from './change';
import { type DesignNode, isRecord, listOf, textOf } from './design';
import classes from './design.module.css';

interface SagaFormProps {
  text: string;
  node: DesignNode;
  onChange: (text: string, what: string) => void;
}

const parts = ['id', 'call', 'undo'] as const;
/** The most calls that a saga can have. */
const mostCalls = 20;

export function SagaForm({ text, node, onChange }: SagaFormProps) {
  const { t } = useTranslation();
  const calls = listOf(node.attributes.steps).map((call) => (isRecord(call) ? call : {}));
  const set = (path: (string | number)[], value: unknown, what: string) =>
    onChange(setAttribute(text, node, ['steps', ...path], value), `${node.id}/steps/${what}`);
  return (
    <div className={classes.connections}>
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the id changes while it is typed
        <fieldset key={index} className={classes.guard}>
          <legend>{t('design.saga.one', { number: index + 1 })}</legend>
          {parts.map((part) => (
            <TextInput
              key={part}
              size="xs"
              label={t(`design.saga.${part}`)}
              maxLength={200}
              value={textOf(call[part])}
              onChange={(event) => {
                const { value } = event.currentTarget;
                // A call without an undo needs none; the check reports the other parts.
                set(
                  [index, part],
                  part === 'undo' ? value || undefined : value,
                  `${index}/${part}`,
                );
              }}
            />
          ))}
          {calls.length > 1 && (
            <ActionIcon
              variant="subtle"
              aria-label={t('design.saga.remove', { number: index + 1 })}
              onClick={() => set([index], undefined, `remove ${index} of ${calls.length}`)}
            >
              <Icon name="cross" size={14} />
            </ActionIcon>
          )}
        </fieldset>
      ))}
      {calls.length < mostCalls && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => set([calls.length], newCall(calls), `add ${calls.length}`)}
        >
          {t('design.saga.add')}
        </Button>
      )}
    </div>
  );
}

/** A call with an id that no other has. */
function newCall(calls: readonly Record<string, unknown>[]) {
  const ids = new Set(calls.map(({ id }) => id));
  let number = calls.length + 1;
  while (ids.has(`call_${number}`)) number++;
  return { id: `call_${number}`, call: 'system.operation' };
}
