// Makes a person or changes what they may: roles, queues, skills, access.
import { Checkbox, MultiSelect, NumberInput, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { PutPersonInput } from '../../graphql/generated/bounds';
import { FormDialog } from '../../ui/FormSheet';
import type { Person } from './people';
import { Choices, PutPerson, SetKeyRequests, SetSkills } from './power.graphql';

interface PersonSheetProps {
  /** Null = a new one. */
  before: Person | null;
  onDone: (name: string) => void;
  onClose: () => void;
}

const over = (expiresAt: string | null) => expiresAt !== null && Date.parse(expiresAt) < Date.now();

export function PersonSheet({ before, onDone, onClose }: PersonSheetProps) {
  const { t } = useTranslation();
  const [{ data }] = useQuery({ query: Choices });
  const [name, setName] = useState(before?.name ?? '');
  const [email, setEmail] = useState(before?.email ?? '');
  const [password, setPassword] = useState('');
  const [roles, setRoles] = useState<string[]>([...(before?.roleNames ?? [])]);
  const [queues, setQueues] = useState<string[]>([...(before?.queues ?? [])]);
  const [skills, setSkills] = useState<string[]>([...(before?.skills ?? [])]);
  const [disabled, setDisabled] = useState(before?.disabled ?? false);
  const keys = (before?.apiTokens ?? []).filter((key) => !key.revokedAt && !over(key.expiresAt));
  const [requests, setRequests] = useState<Record<string, number | null>>({});
  const pace = useCommand(SetKeyRequests, (answer) => answer.setApiTokenRequests);
  const put = useCommand(PutPerson, (answer) => answer.putPerson);
  const learn = useCommand(SetSkills, (answer) => answer.setSkills);
  const why =
    name.trim() === ''
      ? t('admin.person.nameFirst')
      : !email.includes('@')
        ? t('admin.person.emailFirst')
        : !before && password.length < 12
          ? t('admin.person.passwordFirst')
          : null;
  const send = async () => {
    const done = await put.run({
      personId: before?.id ?? null,
      email: email.trim(),
      name: name.trim(),
      roles,
      queues,
      disabled,
      password: password || null,
      expectedVersion: before?.version ?? null,
    });
    if (!done?.person) return;
    const same =
      JSON.stringify([...skills].sort()) === JSON.stringify([...(before?.skills ?? [])].sort());
    if (!same && !(await learn.run({ personId: done.person.id, skills }))) return;
    for (const [tokenId, requestsPerMinute] of Object.entries(requests)) {
      if (!(await pace.run({ tokenId, requestsPerMinute }))) return;
    }
    onDone(name.trim());
  };
  const roleWords = (role: string) =>
    t(`app.roles.${role}` as 'app.roles.manager', { defaultValue: role });
  return (
    <FormDialog
      title={before ? t('admin.person.change') : t('admin.person.add')}
      disabledReason={why}
      busy={put.busy || learn.busy || pace.busy}
      refusals={[...put.refusals, ...learn.refusals, ...pace.refusals]}
      error={put.error ?? learn.error ?? pace.error}
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
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        required
        type="email"
        maxLength={PutPersonInput.email}
        autoComplete="off"
        label={t('admin.person.email')}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput
        required={!before}
        type="password"
        maxLength={PutPersonInput.password}
        autoComplete="new-password"
        label={t('admin.person.password')}
        description={before ? t('admin.person.passwordKept') : t('admin.person.passwordHint')}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <MultiSelect
        searchable
        label={t('admin.person.roles')}
        value={roles}
        onChange={setRoles}
        data={(data?.roles ?? []).map((role) => ({
          value: role.name,
          label: roleWords(role.name),
        }))}
      />
      <TagsInput
        label={t('admin.person.queues')}
        description={t('admin.person.tagsHint')}
        value={queues}
        onChange={setQueues}
        data={(data?.queueSettings ?? []).map(({ queue }) => queue)}
      />
      <TagsInput
        label={t('admin.person.skills')}
        description={t('admin.person.skillsHint')}
        value={skills}
        onChange={setSkills}
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
        onChange={(event) => setDisabled(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
