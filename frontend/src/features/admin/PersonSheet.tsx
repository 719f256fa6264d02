// Makes a person or changes what they may: roles, queues, skills, access.
import { Checkbox, MultiSelect, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { FormSheet } from '../../ui/FormSheet';
import type { Person } from './people';
import { Choices, PutPerson, SetSkills } from './power.graphql';

interface PersonSheetProps {
  /** Null = a new one. */
  before: Person | null;
  onDone: (name: string) => void;
  onClose: () => void;
}

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
    const same = JSON.stringify([...skills].sort()) === JSON.stringify([...(before?.skills ?? [])].sort());
    if (!same && !(await learn.run({ personId: done.person.id, skills }))) return;
    onDone(name.trim());
  };
  const roleWords = (role: string) => t(`app.roles.${role}` as 'app.roles.manager', { defaultValue: role });
  return (
    <FormSheet
      title={before ? t('admin.person.change') : t('admin.person.add')}
      because={why}
      busy={put.busy || learn.busy}
      refusals={[...put.refusals, ...learn.refusals]}
      error={put.error ?? learn.error}
      confirmLabel={t('admin.person.save')}
      onSend={() => void send()}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        required
        maxLength={300}
        label={t('admin.person.name')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        required
        type="email"
        autoComplete="off"
        label={t('admin.person.email')}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput
        required={!before}
        type="password"
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
        data={(data?.roles ?? []).map((role) => ({ value: role.name, label: roleWords(role.name) }))}
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
      <Checkbox
        label={t('admin.person.disabled')}
        checked={disabled}
        onChange={(event) => setDisabled(event.currentTarget.checked)}
      />
    </FormSheet>
  );
}
