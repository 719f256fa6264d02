// The dialog of a saved view: its name, whom it is shared with, whether the list opens with it.
import {
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { TFunction } from 'i18next';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import type { ViewAudience, ViewList } from '../../graphql/generated/graphql';
import { hasRole, usePerson } from '../../lib/session';
import { useFormValues } from '../../lib/use-form-values';
import { useStale } from '../../lib/use-stale';
import { type Address, isChanged, parametersOf, type View } from '../../lib/view-address';
import { type ChangedField, ChangedMeanwhile } from '../../ui/ChangedMeanwhile';
import { RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { DeleteView, SaveView, SetDefaultView } from './views.graphql';

const maxName = 80;

interface ViewDialogProps {
  list: ViewList;
  /** Null saves a new view. */
  view: View | null;
  address: Address;
  /** Another person has changed it: read it again. */
  onStale: () => void;
  onClose: () => void;
  /** Null after the view was deleted. */
  onDone: (saved: View | null) => void;
}

export function ViewDialog(props: ViewDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.view ? t('views.changeTitle') : t('views.saveTitle')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <ViewForm {...props} />
    </Modal>
  );
}

function ViewForm({ list, view, address, onStale, onClose, onDone }: ViewDialogProps) {
  const { t } = useTranslation();
  const present = {
    name: view?.name ?? '',
    audience: view ? `${view.audience} ${view.audienceKey ?? ''}` : 'PERSONAL ',
    first: view?.default ?? false,
    parameters: view
      ? [...view.parameters].map(({ name, value }) => ({ name, value }))
      : parametersOf(address),
  };
  const { values, set, changed } = useFormValues(present);
  const { name, audience, first, parameters } = values;
  const [deleting, setDeleting] = useState(false);
  const save = useCommand(SaveView, (data) => data.saveView);
  useStale(save.refusals, onStale);
  const setDefault = useCommand(SetDefaultView, (data) => data.setDefaultView);
  const remove = useCommand(DeleteView, (data) => data.deleteView);
  const [kind, ...audienceKey] = present.audience.split(' ');
  const presentTexts: Partial<Record<keyof typeof present, ChangedField>> = {
    name: { label: t('views.name'), value: present.name },
    audience: {
      label: t('views.audience'),
      value: audienceLabel(t, kind as ViewAudience, audienceKey.join(' ')),
    },
    parameters: { label: t('views.filters'), value: t('views.filtersOther') },
  };
  const changedTexts = view ? changed.flatMap((key) => presentTexts[key] ?? []) : [];
  const commands = [save, setDefault, remove];
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    const [kind, ...key] = audience.split(' ');
    const saved = await save.run({
      viewId: view?.id ?? null,
      expectedVersion: view ? String(view.version) : null,
      list,
      name,
      parameters,
      audience: kind as ViewAudience,
      audienceKey: key.join(' ') || null,
    });
    if (!saved?.view) return;
    const wasFirst = view?.default ?? false;
    if (
      first !== wasFirst &&
      !(await setDefault.run({ list, viewId: first ? saved.view.id : null }))
    )
      return;
    onDone(saved.view);
  };
  if (view && deleting)
    return (
      <Stack>
        <Text>
          {t(view.audience === 'PERSONAL' ? 'views.deleteText' : 'views.deleteShared', {
            name: view.name,
          })}
        </Text>
        <RefusalAlert refusals={remove.refusals} error={remove.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setDeleting(false)}>
            {t('ui.cancel')}
          </Button>
          <Button
            color="red.8"
            loading={remove.busy}
            onClick={async () => {
              if (await remove.run({ viewId: view.id })) onDone(null);
            }}
          >
            {t('views.delete')}
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <TextInput
          data-autofocus
          required
          label={t('views.name')}
          maxLength={maxName}
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <AudienceSelect value={audience} onChange={(next) => set({ audience: next })} />
        <Checkbox
          label={t(`views.first.${list}`)}
          checked={first}
          onChange={(event) => set({ first: event.currentTarget.checked })}
        />
        {view && isChanged(view, address) && address.view === view.id && (
          <Text size="sm" c="dimmed">
            {t('views.filtersKept')}
          </Text>
        )}
        {view?.updatedBy && view.audience !== 'PERSONAL' && (
          <Text size="sm" c="dimmed">
            {t('views.changedBy', { name: view.updatedBy.name })} <Timestamp iso={view.updatedAt} />
          </Text>
        )}
        <RefusalAlert
          refusals={commands.flatMap(({ refusals }) => refusals)}
          error={save.error ?? setDefault.error}
        />
        <ChangedMeanwhile fields={changedTexts} />
        <Group justify="space-between">
          {view ? (
            <Button variant="default" onClick={() => setDeleting(true)}>
              {t('views.delete')}
            </Button>
          ) : (
            <span />
          )}
          <Group gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('ui.cancel')}
            </Button>
            <Button type="submit" loading={save.busy || setDefault.busy}>
              {t('views.ok')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

/** The sentence that says whom a view is shared with. */
export function audienceLabel(t: TFunction, audience: ViewAudience, key: string): string {
  const name =
    audience === 'ROLE' ? t(`app.roles.${key}` as 'app.roles.manager', { defaultValue: key }) : key;
  return t(`views.sharedWith.${audience}`, { name });
}

/** Whom the person may share a view with. The server checks the choice. */
function AudienceSelect({ value, onChange }: { value: string; onChange: (next: string) => void }) {
  const { t } = useTranslation();
  const person = usePerson();
  const manages = hasRole(person, 'manager', 'administrator');
  const roles = (person?.roles ?? []).filter(
    (role) => role !== 'external_worker' && (manages || role !== 'submitter'),
  );
  const options = [
    { value: 'PERSONAL ', label: audienceLabel(t, 'PERSONAL', '') },
    ...(person?.queues ?? []).map((queue) => ({
      value: `QUEUE ${queue}`,
      label: audienceLabel(t, 'QUEUE', queue),
    })),
    ...roles.map((role) => ({
      value: `ROLE ${role}`,
      label: audienceLabel(t, 'ROLE', role),
    })),
    ...(manages ? [{ value: 'EVERYONE ', label: audienceLabel(t, 'EVERYONE', '') }] : []),
  ];
  const known = options.some((option) => option.value === value);
  const [kind, ...key] = value.split(' ');
  const present = {
    value,
    label: audienceLabel(t, kind as ViewAudience, key.join(' ')),
  };
  return (
    <NativeSelect
      label={t('views.audience')}
      description={t('views.audienceHint')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={known ? options : [present, ...options]}
    />
  );
}
