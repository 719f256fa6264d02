// The attributes that a submitter states with a document, declared without the text of the process.
import { NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type AttributeDraft,
  attributesOf,
  attributeTypes,
  choicesOf,
  newAttribute,
} from './attributes';
import { setHeader } from './change';
import { DeclarationList, LabelInputs, RequiredInput, type SetPart } from './DeclarationList';
import type { Design } from './design';

interface AttributeFormProps {
  text: string;
  design: Design;
  onChange: (text: string, what: string) => void;
}

export function AttributeForm({ text, design, onChange }: AttributeFormProps) {
  return (
    <DeclarationList
      list="attributes"
      declared={attributesOf(design)}
      text={text}
      onChange={onChange}
      create={() => newAttribute(design)}
      row={(attribute, index, set) => ({
        name: attribute.name,
        inputs: (
          <AttributeInputs
            attribute={attribute}
            set={set}
            onType={(type) => onChange(setType(text, index, type), `attributes ${index} type`)}
          />
        ),
      })}
    />
  );
}

/** Sets the type, and removes what only another type has. */
function setType(text: string, index: number, type: string): string {
  const at = (name: string) => ['attributes', index, name];
  let changed = setHeader(text, at('type'), type);
  for (const [name, owner, first] of [
    ['choices', 'choice', ['first']],
    ['currency', 'money', 'EUR'],
    ['max_length', 'text', undefined],
    ['pattern', 'text', undefined],
  ] as const)
    changed = setHeader(changed, at(name), type === owner ? first : undefined);
  return changed;
}

interface AttributeInputsProps {
  attribute: AttributeDraft;
  set: SetPart;
  onType: (type: string) => void;
}

function AttributeInputs({ attribute, set, onType }: AttributeInputsProps) {
  const { t } = useTranslation();
  const { name, type, required, label, choices, currency, maxLength, pattern } = attribute;
  return (
    <>
      <TextInput
        size="xs"
        label={t('design.attributes.name')}
        value={name}
        maxLength={63}
        onChange={(event) => set(['name'], event.currentTarget.value)}
      />
      <NativeSelect
        size="xs"
        label={t('design.attributes.type')}
        value={type}
        data={attributeTypes.map((one) => ({
          value: one,
          label: t(`design.attributes.types.${one}`),
        }))}
        onChange={(event) => onType(event.currentTarget.value)}
      />
      <LabelInputs label={label} set={set} />
      {type === 'choice' && (
        <ChoiceLines choices={choices} onChange={(lines) => set(['choices'], choicesOf(lines))} />
      )}
      {type === 'money' && (
        <TextInput
          size="xs"
          w={140}
          label={t('design.attributes.currency')}
          maxLength={3}
          value={currency}
          onChange={(event) => set(['currency'], event.currentTarget.value.toUpperCase())}
        />
      )}
      {type === 'text' && (
        <>
          <NumberInput
            size="xs"
            w={140}
            label={t('design.attributes.maxLength')}
            value={maxLength ?? ''}
            placeholder="200"
            min={1}
            max={500}
            clampBehavior="strict"
            allowDecimal={false}
            onChange={(value) => set(['max_length'], typeof value === 'number' ? value : undefined)}
          />
          <TextInput
            size="xs"
            label={t('design.attributes.pattern')}
            description={t('design.attributes.patternHint')}
            classNames={{ input: 'cs-mono' }}
            maxLength={200}
            value={pattern}
            onChange={(event) => set(['pattern'], event.currentTarget.value || undefined)}
          />
        </>
      )}
      <RequiredInput required={required} set={set} />
    </>
  );
}

/** The lines as they are typed; the text of the process follows when the field is left. */
function ChoiceLines({
  choices,
  onChange,
}: {
  choices: string;
  onChange: (lines: string) => void;
}) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Textarea
      size="xs"
      label={t('design.attributes.choices')}
      description={t('design.attributes.choicesHint')}
      autosize
      minRows={2}
      maxRows={10}
      value={typed ?? choices}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        if (typed !== null && typed !== choices) onChange(typed);
        setTyped(null);
      }}
    />
  );
}
