// Creates a user or changes their roles, queues, skills and access.
import { Checkbox, MultiSelect, NumberInput, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { PutPersonInput } from '../../graphql/generated/bounds';
import { useFormValues } from '../../lib/use-form-values';
import { useStale } from '../../lib/use-stale';
import { FormDialog } from '../../ui/FormDialog';
import type { Person } from './people';
import {
  AssignableRolesAndQueues,
  PutPerson,
  SetApiTokenRequests,
  SetSkills,
} from './people.graphql';
import { type SavedAccount, savePerson } from './save-person';

interface PersonDialogProps {
  /** The user as the page read them last; null creates a new one. */
  existing: Person | null;
  /** Reads the users again, because another person has changed this one. */
  onStale: () => void;
  onDone: (message: string) => void;
  onClose: () => void;
}

const isExpired = (expiresAt: string | null) =>
  expiresAt !== null && Date.parse(expiresAt) < Date.now();

export function PersonDialog({ existing, onStale, onDone, onClose }: PersonDialogProps) {
  const { t } = useTranslation();
  const [{ data }] = useQuery({ query: AssignableRolesAndQueues });
  const present = {
    name: existing?.name ?? '',
    email: existing?.email ?? '',
    employeeId: existing?.employeeId ?? '',
    roles: [...(existing?.roleNames ?? [])],
    queues: [...(existing?.queues ?? [])],
    skills: [...(existing?.skills ?? [])],
    disabled: existing?.disabled ?? false,
  };
  const { values, set, changed } = useFormValues(present);
  const { name, email, employeeId, roles, queues, skills, disabled } = values;
  const keys = (existing?.apiTokens ?? []).filter(
    (key) => !key.revokedAt && !isExpired(key.expiresAt),
  );
  const [requests, setRequests] = useState<Record<string, number | null>>({});
  const setRateLimit = useCommand(SetApiTokenRequests, (answer) => answer.setApiTokenRequests);
  const [saved, setSaved] = useState<SavedAccount | null>(null);
  const savePersonCommand = useCommand(PutPerson, (answer) => answer.putPerson);
  const saveSkills = useCommand(SetSkills, (answer) => answer.setSkills);
  const disabledReason =
    name.trim() === ''
      ? t('admin.person.nameFirst')
      : !email.includes('@')
        ? t('admin.person.emailFirst')
        : !existing && roles.length === 0
          ? t('admin.person.rolesFirst')
          : null;
  useStale(savePersonCommand.refusals, onStale);
  useStale(saveSkills.refusals, onStale);
  const send = async () => {
    const now = await savePerson(
      {
        account: {
          email: email.trim(),
          name: name.trim(),
          roles,
          queues,
          disabled,
          employeeId,
        },
        skills,
        requests,
      },
      existing,
      saved,
      {
        account: async (input) => {
          const payload = await savePersonCommand.run({
            ...input,
            roles: [...input.roles],
            queues: [...input.queues],
          });
          return payload && { id: payload.person?.id ?? null, waits: payload.proposal !== null };
        },
        skills: async (change) => {
          const payload = await saveSkills.run({
            personId: change.personId,
            skills: [...change.skills],
            expectedSkills: [...change.expectedSkills],
          });
          return payload && { waits: payload.proposal !== null };
        },
        requests: async (tokenId, requestsPerMinute) =>
          (await setRateLimit.run({ tokenId, requestsPerMinute })) !== null,
      },
    );
    setSaved(now.saved);
    if (now.outcome !== 'refused') onDone(t(`admin.person.${now.outcome}`, { name: name.trim() }));
  };
  const roleLabel = (role: string) =>
    t(`app.roles.${role}` as 'app.roles.manager', { defaultValue: role });
  const presentText = (key: keyof typeof present) => {
    if (key === 'disabled') return t(present.disabled ? 'caseLabels.yes' : 'caseLabels.no');
    const value = present[key];
    if (typeof value === 'string') return value;
    return (key === 'roles' ? value.map(roleLabel) : value).join(', ');
  };
  return (
    <FormDialog
      title={existing ? t('admin.person.change') : t('admin.person.add')}
      disabledReason={disabledReason}
      busy={savePersonCommand.busy || saveSkills.busy || setRateLimit.busy}
      refusals={[...savePersonCommand.refusals, ...saveSkills.refusals, ...setRateLimit.refusals]}
      error={savePersonCommand.error ?? saveSkills.error ?? setRateLimit.error}
      changed={changed.map((key) => ({ label: t(`admin.person.${key}`), value: presentText(key) }))}
      confirmLabel={t('admin.person.save')}
      onSend={() => void send()}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        required
        maxLength={PutPersonInput.name}
        label={t('admin.person.name')}
        value={name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TextInput
        required
        type="email"
        maxLength={PutPersonInput.email}
        autoComplete="off"
        label={t('admin.person.email')}
        value={email}
        onChange={(event) => set({ email: event.currentTarget.value })}
      />
      <TextInput
        maxLength={PutPersonInput.employeeId}
        autoComplete="off"
        label={t('admin.person.employeeId')}
        description={t('admin.person.employeeIdHint')}
        value={employeeId}
        onChange={(event) => set({ employeeId: event.currentTarget.value })}
      />
      <Text size="sm" c="dimmed">
        {t('admin.person.byTwo')}
      </Text>
      <MultiSelect
        searchable
        required={!existing}
        label={t('admin.person.roles')}
        value={roles}
        onChange={(next) => set({ roles: next })}
        data={(data?.roles ?? []).map((role) => ({
          value: role.name,
          label: roleLabel(role.name),
        }))}
      />
      <TagsInput
        label={t('admin.person.queues')}
        description={t('admin.person.tagsHint')}
        value={queues}
        onChange={(next) => set({ queues: next })}
        data={(data?.queueSettings ?? []).map(({ queue }) => queue)}
      />
      <TagsInput
        label={t('admin.person.skills')}
        description={t('admin.person.skillsHint')}
        value={skills}
        onChange={(next) => set({ skills: next })}
      />
      {keys.map((key) => (
        <NumberInput
          key={key.id}
          min={1}
          max={100_000}
          allowDecimal={false}
          label={t('admin.person.keyRequests', { name: key.name })}
          description={t('admin.person.keyRequestsHint')}
          value={key.id in requests ? (requests[key.id] ?? '') : (key.requestsPerMinute ?? '')}
          onChange={(value) =>
            setRequests((now) => ({ ...now, [key.id]: typeof value === 'number' ? value : null }))
          }
        />
      ))}
      <Checkbox
        label={t('admin.person.disabled')}
        checked={disabled}
        onChange={(event) => set({ disabled: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
