// The kinds of supporting documents of a process, declared without its text.
import { Button, Checkbox, Text, TextInput, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { setHeader } from './change';
import { type Design, isRecord, listOf, textOf, titleOf } from './design';
import classes from './design.module.css';
import { insertIn } from './edit-text';

interface DocumentFormProps {
  text: string;
  design: Design;
  onChange: (text: string, what: string) => void;
}

interface DocumentDraft {
  kind: string;
  label: unknown;
  required: boolean;
  max: string;
}

/** The kinds that the text of a process declares. */
export function documentsOf({ header }: Pick<Design, 'header'>): DocumentDraft[] {
  return listOf(header.documents)
    .filter(isRecord)
    .map((one) => ({
      kind: textOf(one.kind),
      label: one.label,
      required: one.required === true,
      max: textOf(one.max),
    }));
}

/** A new kind whose name is not used yet. */
export function newDocument(design: Pick<Design, 'header'>): Record<string, unknown> {
  const kinds = new Set(documentsOf(design).map(({ kind }) => kind));
  let kind = 'document';
  for (let n = 2; kinds.has(kind); n++) kind = `document_${n}`;
  return { kind, required: true };
}

export function DocumentForm({ text, design, onChange }: DocumentFormProps) {
  const { t } = useTranslation();
  const documents = documentsOf(design);
  const set = (index: number, path: readonly string[], value: unknown) =>
    onChange(
      setHeader(text, ['documents', index, ...path], value),
      `documents ${index} ${path.join('/')}`,
    );
  const remove = (index: number) =>
    onChange(
      setHeader(text, documents.length === 1 ? ['documents'] : ['documents', index], undefined),
      `remove document ${index}`,
    );
  const add = () => {
    const one = newDocument(design);
    onChange(
      documents.length === 0
        ? setHeader(text, ['documents'], [one])
        : insertIn(text, ['documents'], documents.length, one),
      `add document ${documents.length}`,
    );
  };
  return (
    <section className={classes.connections} aria-labelledby="document-form">
      <Title order={4} size="h5" id="document-form">
        {t('design.documents.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('design.documents.intro')}
      </Text>
      {documents.map((document, index) => (
        <DocumentRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the kind changes while it is typed
          key={index}
          document={document}
          set={(path, value) => set(index, path, value)}
          onRemove={() => remove(index)}
        />
      ))}
      <Button size="compact-sm" variant="default" onClick={add}>
        {t('design.documents.add')}
      </Button>
    </section>
  );
}

interface DocumentRowProps {
  document: DocumentDraft;
  set: (path: readonly string[], value: unknown) => void;
  onRemove: () => void;
}

function DocumentRow({ document, set, onRemove }: DocumentRowProps) {
  const { t } = useTranslation();
  const { kind, label, required, max } = document;
  return (
    <fieldset className={classes.guard}>
      <legend>{t('design.documents.one', { kind })}</legend>
      <TextInput
        size="xs"
        label={t('design.documents.kind')}
        value={kind}
        maxLength={63}
        onChange={(event) => set(['kind'], event.currentTarget.value)}
      />
      {(['en', 'zh'] as const).map((language) => (
        <TextInput
          key={language}
          size="xs"
          label={t(`design.attributes.label.${language}`)}
          lang={language}
          maxLength={200}
          value={titleOf(label, language)}
          onChange={(event) => set(['label', language], event.currentTarget.value || undefined)}
        />
      ))}
      <TextInput
        size="xs"
        w={140}
        label={t('design.documents.max')}
        inputMode="numeric"
        maxLength={2}
        placeholder="1"
        value={max}
        onChange={(event) => set(['max'], Number(event.currentTarget.value) || undefined)}
      />
      <Checkbox
        size="xs"
        label={t('design.attributes.required')}
        checked={required}
        onChange={(event) => set(['required'], event.currentTarget.checked || undefined)}
      />
      <Button size="compact-xs" variant="subtle" onClick={onRemove}>
        {t('design.documents.remove', { kind })}
      </Button>
    </fieldset>
  );
}
