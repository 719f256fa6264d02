// A list that a process declares in its header, edited without the text: attributes or supporting documents.
import { Button, Checkbox, Text, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { setHeader } from './change';
import { titleOf } from './design';
import classes from './design.module.css';
import { insertIn } from './edit-text';

/** Sets the value at a path in one declaration; undefined removes it. */
export type SetPart = (path: readonly string[], value: unknown) => void;

interface DeclarationListProps<T> {
  list: 'attributes' | 'documents';
  declared: readonly T[];
  text: string;
  onChange: (text: string, what: string) => void;
  create: () => Record<string, unknown>;
  /** The inputs of one declaration, named by its key. */
  row: (declaration: T, index: number, set: SetPart) => { name: string; inputs: ReactNode };
}

export function DeclarationList<T>(props: DeclarationListProps<T>) {
  const { list, declared, text, onChange, create, row } = props;
  const { t } = useTranslation();
  const set = (index: number) => (path: readonly string[], value: unknown) =>
    onChange(setHeader(text, [list, index, ...path], value), `${list} ${index} ${path.join('/')}`);
  const remove = (index: number) =>
    onChange(
      setHeader(text, declared.length === 1 ? [list] : [list, index], undefined),
      `remove ${list} ${index}`,
    );
  const add = () =>
    onChange(
      declared.length === 0
        ? setHeader(text, [list], [create()])
        : insertIn(text, [list], declared.length, create()),
      `add ${list} ${declared.length}`,
    );
  return (
    <section className={classes.connections} aria-labelledby={`${list}-form`}>
      <Title order={4} size="h5" id={`${list}-form`}>
        {t(`design.${list}.title`)}
      </Title>
      <Text size="sm" c="dimmed">
        {t(`design.${list}.intro`)}
      </Text>
      {declared.map((one, index) => {
        const { name, inputs } = row(one, index, set(index));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed
          <fieldset key={index} className={classes.guard}>
            <legend>{t(`design.${list}.one`, { name })}</legend>
            {inputs}
            <Button size="compact-xs" variant="subtle" onClick={() => remove(index)}>
              {t(`design.${list}.remove`, { name })}
            </Button>
          </fieldset>
        );
      })}
      <Button size="compact-sm" variant="default" onClick={add}>
        {t(`design.${list}.add`)}
      </Button>
    </section>
  );
}

/** The label of a declaration in both languages. */
export function LabelInputs({ label, set }: { label: unknown; set: SetPart }) {
  const { t } = useTranslation();
  return (['en', 'zh'] as const).map((language) => (
    <TextInput
      key={language}
      size="xs"
      label={t(`design.attributes.label.${language}`)}
      lang={language}
      maxLength={200}
      value={titleOf(label, language)}
      onChange={(event) => set(['label', language], event.currentTarget.value || undefined)}
    />
  ));
}

/** Whether a submitter must state the attribute or send the document. */
export function RequiredInput({ required, set }: { required: boolean; set: SetPart }) {
  const { t } = useTranslation();
  return (
    <Checkbox
      size="xs"
      label={t('design.attributes.required')}
      checked={required}
      onChange={(event) => set(['required'], event.currentTarget.checked || undefined)}
    />
  );
}
