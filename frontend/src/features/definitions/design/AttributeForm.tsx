// The attributes that a submitter states with a document, declared without the text of the process.
import {
  Button,
  Checkbox,
  NativeSelect,
  NumberInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
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
import { type Design, titleOf } from './design';
import classes from './design.module.css';
import { insertIn } from './edit-text';

interface AttributeFormProps {
  text: string;
  design: Design;
  onChange: (text: string, what: string) => void;
}

export function AttributeForm({ text, design, onChange }: AttributeFormProps) {
  const { t } = useTranslation();
  const attributes = attributesOf(design);
  const set = (index: number, path: readonly string[], value: unknown) =>
    onChange(
      setHeader(text, ['attributes', index, ...path], value),
      `attributes ${index} ${path.join('/')}`,
    );
  const remove = (index: number) =>
    onChange(
      attributes.length === 1
        ? setHeader(text, ['attributes'], undefined)
        : setHeader(text, ['attributes', index], undefined),
      `remove attribute ${index}`,
    );
  const add = () => {
    const one = newAttribute(design);
    onChange(
      attributes.length === 0
        ? setHeader(text, ['attributes'], [one])
        : insertIn(text, ['attributes'], attributes.length, one),
      `add attribute ${attributes.length}`,
    );
  };
  return (
    <section className={classes.connections} aria-labelledby="attribute-form">
      <Title order={4} size="h5" id="attribute-form">
        {t('design.attributes.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('design.attributes.intro')}
      </Text>
      {attributes.map((attribute, index) => (
        <AttributeRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed
          key={index}
          attribute={attribute}
          set={(path, value) => set(index, path, value)}
          onType={(type) => onChange(setType(text, index, type), `attributes ${index} type`)}
          onRemove={() => remove(index)}
        />
      ))}
      <Button size="compact-sm" variant="default" onClick={add}>
        {t('design.attributes.add')}
      </Button>
    </section>
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

interface AttributeRowProps {
  attribute: AttributeDraft;
  set: (path: readonly string[], value: unknown) => void;
  onType: (type: string) => void;
  onRemove: () => void;
}

function AttributeRow({ attribute, set, onType, onRemove }: AttributeRowProps) {
  const { t } = useTranslation();
  const { name, type, required, label, choices, currency, maxLength, pattern } = attribute;
  return (
    <fieldset className={classes.guard}>
      <legend>{t('design.attributes.one', { name })}</legend>
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
      <Checkbox
        size="xs"
        label={t('design.attributes.required')}
        checked={required}
        onChange={(event) => set(['required'], event.currentTarget.checked || undefined)}
      />
      <Button size="compact-xs" variant="subtle" onClick={onRemove}>
        {t('design.attributes.remove', { name })}
      </Button>
    </fieldset>
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
