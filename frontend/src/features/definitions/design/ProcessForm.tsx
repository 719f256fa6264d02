// The form of the process itself: its titles, documents and what it needs.
import { Checkbox, NativeSelect, Text, TextInput, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { documentTypeLabels, factLabel } from '../../../lib/labels';
import { asCallable } from '../starter';
import { AttributeForm } from './AttributeForm';
import { setHeader } from './change';
import { DocumentForm } from './DocumentForm';
import { type Design, listOf, textOf, titleOf } from './design';
import classes from './design.module.css';
import { EntryPoints } from './EntryPoints';
import { DurationField } from './Field';
import type { DesignChoices } from './use-choices';

interface ProcessFormProps {
  text: string;
  design: Design;
  /** The key of a published process does not change. */
  isNew: boolean;
  choices: DesignChoices;
  /** The names of the nodes by id. */
  names: ReadonlyMap<string, string>;
  onChange: (text: string, what: string) => void;
}

const facts = ['amount', 'currency', 'counterparty', 'country', 'account', 'number', 'date'];
const orders = ['', 'required', 'optional', 'none'] as const;

export function ProcessForm({ text, design, isNew, choices, names, onChange }: ProcessFormProps) {
  const { t } = useTranslation();
  const { header } = design;
  const set = (path: readonly string[], value: unknown) =>
    onChange(setHeader(text, path, value), path.join('/'));
  const needs = listOf(header.needs).map(textOf);
  const types = listOf(header.document_types).map(textOf);
  const callable = header.callable === true;
  const repairs = design.nodes.some(({ attributes }) => attributes.duty === 'repair');
  return (
    <section className={classes.form} aria-labelledby="process-form">
      <Title order={3} size="h4" id="process-form">
        {t('design.process')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('design.choose')}
      </Text>
      {isNew && (
        <TextInput
          size="sm"
          label={t('design.key')}
          description={t('design.keyHint')}
          value={textOf(header.key)}
          maxLength={63}
          onChange={(event) => set(['key'], event.currentTarget.value)}
        />
      )}
      {isNew && (
        <Checkbox
          label={t('design.callable')}
          description={t('design.callableHint')}
          checked={callable}
          onChange={(event) =>
            onChange(
              asCallable(text, event.currentTarget.checked) ??
                setHeader(text, ['callable'], event.currentTarget.checked || undefined),
              'callable',
            )
          }
        />
      )}
      {(['en', 'zh'] as const).map((language) => (
        <TextInput
          key={language}
          size="sm"
          label={t(`design.title.${language}`)}
          lang={language}
          maxLength={200}
          value={titleOf(header.title, language)}
          onChange={(event) => set(['title', language], event.currentTarget.value || undefined)}
        />
      ))}
      <Checkbox.Group
        label={t('design.documentTypes')}
        value={types}
        onChange={(chosen) => set(['document_types'], chosen.length > 0 ? chosen : undefined)}
      >
        <div className={classes.checks}>
          {[...new Set([...choices.documentTypes, ...types])].sort().map((type) => (
            <Checkbox key={type} size="xs" value={type} label={documentTypeLabels(t, [type])} />
          ))}
        </div>
      </Checkbox.Group>
      {(repairs || needs.length > 0) && (
        <Checkbox.Group
          label={t('design.needs')}
          value={needs}
          onChange={(chosen) => set(['needs'], chosen.length > 0 ? chosen : undefined)}
        >
          <div className={classes.checks}>
            {facts.map((fact) => (
              <Checkbox key={fact} size="xs" value={fact} label={factLabel(t, fact)} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      {!callable && (
        <>
          <NativeSelect
            size="sm"
            label={t('design.order')}
            value={textOf(header.order)}
            data={orders.map((order) => ({
              value: order,
              label: t(`design.orders.${order === '' ? 'usual' : order}`),
            }))}
            onChange={(event) => set(['order'], event.currentTarget.value || undefined)}
          />
          <AttributeForm text={text} design={design} onChange={onChange} />
          <DocumentForm text={text} design={design} onChange={onChange} />
          <EntryPoints design={design} names={names} onChange={set} />
          <DurationField
            label={t('design.remindSubmitter')}
            value={textOf(header.remind_submitter)}
            usual=""
            onChange={(value) => set(['remind_submitter'], value)}
          />
        </>
      )}
    </section>
  );
}
