// The groups of providers that are mapped to roles, and the form to propose another mapping.
import { Button, Group, Select, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { PutGroupMappingInput } from '../../graphql/generated/bounds';
import type { Role } from '../../lib/session';
import { useRefused } from '../../lib/use-stale';
import { ButtonWithReason } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import classes from './admin.module.css';
import { useOutcome } from './ControlForms';
import { AllGroupMappings, PutGroupMapping } from './providers.graphql';

const empty = { provider: '', group: '', role: '', reason: '' };

interface GroupMappingsProps {
  /** The newest change that was decided; the mappings are read again when it is another one. */
  decided: string | undefined;
  onChanged: (message: string) => void;
}

export function GroupMappings({ decided, onChanged }: GroupMappingsProps) {
  const { t } = useTranslation();
  const outcome = useOutcome();
  const [{ data }, refetch] = useQuery({
    query: AllGroupMappings,
    requestPolicy: 'cache-and-network',
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the change says that there may be another mapping
  useEffect(() => refetch({ requestPolicy: 'network-only' }), [decided]);
  const [wanted, setWanted] = useState(empty);
  const command = useCommand(PutGroupMapping, (answer) => answer.putGroupMapping);
  useRefused(command.refusals, () => refetch({ requestPolicy: 'network-only' }));
  const roleLabel = (role: string) => t(`app.roles.${role as Role}`, { defaultValue: role });
  const send = async (mapping: typeof empty, ended: boolean) => {
    const payload = await command.run({ ...mapping, ended });
    if (!payload) return;
    if (!ended) setWanted(empty);
    refetch({ requestPolicy: 'network-only' });
    const gone = ended && payload.results[0]?.applied === false;
    if (gone) onChanged(t('admin.controls.goneGroup', { group: mapping.group }));
    else onChanged(ended ? t('admin.controls.removedGroup') : outcome(payload));
  };
  const change = (part: Partial<typeof empty>) => setWanted((now) => ({ ...now, ...part }));
  const mappings = data?.groupMappings ?? [];
  // The server refuses it, as it refuses other roles that manage people or publish.
  const mappable = (data?.roles ?? []).filter(({ name }) => name !== 'administrator');
  return (
    <>
      <Title order={2} size="h4" mt="lg" mb="xs">
        {t('admin.controls.groups')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('admin.controls.groupsText')}
      </Text>
      <Group gap="sm" mb="sm" align="flex-end">
        <TextInput
          label={t('admin.controls.groupProvider')}
          maxLength={PutGroupMappingInput.provider}
          value={wanted.provider}
          onChange={(event) => change({ provider: event.currentTarget.value })}
        />
        <TextInput
          label={t('admin.controls.group')}
          maxLength={PutGroupMappingInput.group}
          value={wanted.group}
          onChange={(event) => change({ group: event.currentTarget.value })}
        />
        <Select
          label={t('admin.controls.groupRole')}
          data={mappable.map(({ name }) => ({ value: name, label: roleLabel(name) }))}
          value={wanted.role || null}
          onChange={(role) => change({ role: role ?? '' })}
        />
        <TextInput
          label={t('admin.controls.groupReason')}
          maxLength={PutGroupMappingInput.reason}
          value={wanted.reason}
          onChange={(event) => change({ reason: event.currentTarget.value })}
        />
        <ButtonWithReason
          disabledReason={
            Object.values(wanted).some((value) => value.trim() === '')
              ? t('admin.controls.groupFirst')
              : null
          }
          loading={command.busy}
          onClick={() => void send(wanted, false)}
        >
          {t('admin.controls.proposeGroup')}
        </ButtonWithReason>
      </Group>
      <RefusalAlert refusals={command.refusals} error={command.error} />
      {mappings.length > 0 && (
        <ul className={`cs-card ${classes.list}`} aria-label={t('admin.controls.groups')}>
          {mappings.map((mapping) => (
            <li key={JSON.stringify(mapping)} className={classes.item}>
              <div className={classes.long}>
                <Text size="sm">
                  {mapping.provider} · <b>{mapping.group}</b> · {roleLabel(mapping.role)}
                </Text>
              </div>
              <Button
                size="compact-sm"
                variant="default"
                disabled={command.busy}
                aria-label={t('admin.controls.removeGroupOf', {
                  group: mapping.group.slice(0, 80),
                })}
                onClick={() =>
                  void send(
                    {
                      provider: mapping.provider,
                      group: mapping.group,
                      role: mapping.role,
                      reason: t('admin.controls.removeGroup'),
                    },
                    true,
                  )
                }
              >
                {t('admin.controls.removeGroup')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
