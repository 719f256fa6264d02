// The kinds of supporting documents of a process, declared without its text.
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DeclarationList, LabelInputs, RequiredInput, type SetPart } from './DeclarationList';
import { type Design, isRecord, listOf, textOf } from './design';

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
  return (
    <DeclarationList
      list="documents"
      declared={documentsOf(design)}
      text={text}
      onChange={onChange}
      create={() => newDocument(design)}
      row={(document, _, set) => ({
        name: document.kind,
        inputs: <DocumentInputs document={document} set={set} />,
      })}
    />
  );
}

function DocumentInputs({ document, set }: { document: DocumentDraft; set: SetPart }) {
  const { t } = useTranslation();
  const { kind, label, required, max } = document;
  return (
    <>
      <TextInput
        size="xs"
        label={t('design.documents.kind')}
        value={kind}
        maxLength={63}
        onChange={(event) => set(['kind'], event.currentTarget.value)}
      />
      <LabelInputs label={label} set={set} />
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
      <RequiredInput required={required} set={set} />
    </>
  );
}
