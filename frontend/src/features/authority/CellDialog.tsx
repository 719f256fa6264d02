// One cell of the matrix: on which objects a role may do an action, under which condition, and up to which
// amount. Everything is changed together in the text of the policy, which is proposed as one.
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { documentTypeLabels } from '../../lib/labels';
import { baseCurrency } from '../../lib/money';
import { ButtonWithReason } from '../../ui/buttons';
import classes from './authority.module.css';
import { ConditionForm, type Vocabulary } from './ConditionForm';
import { type Condition, conditionOf, conditionText, isComplete, newPart } from './condition-parts';
import { conditionWords } from './condition-words';
import {
  type LimitForm,
  type LimitKind,
  limitForm,
  limitText,
  type PresentLimit,
  presentLimit,
  textOfForm,
} from './limit-text';
import {
  choiceOf,
  conditionsOf,
  limitsOf,
  type PolicyRule,
  rulesOf,
  withChoice,
  withLimit,
} from './policy-text';

export interface Term {
  action: string;
  objects: readonly string[];
  limited: boolean;
}

interface CellDialogProps {
  text: string;
  role: { name: string; label: string };
  term: Term;
  limits: readonly PresentLimit[];
  /** The document types, and the one that the matrix shows, '' for all. */
  types: readonly string[];
  type: string;
  roles: readonly string[];
  onApply: (text: string) => void;
  onClose: () => void;
}

/** What was chosen for an object: no, a condition as text ('' for none), or a condition of the form. */
type Choice = { kind: 'no' } | { kind: 'text'; text: string } | { kind: 'form'; form: Condition };

export function CellDialog(props: CellDialogProps) {
  const { text, role, term, limits, types, roles, onApply, onClose } = props;
  const { t } = useTranslation();
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const [changed, setChanged] = useState<Record<string, LimitForm>>({});
  const rules = rulesOf(text) ?? [];
  const cellOf = (object: string) => ({ role: role.name, action: term.action, object });
  const incomplete =
    Object.values(choices).some(
      (one) => one.kind === 'form' && !one.form.parts.every(isComplete),
    ) || Object.values(changed).some((one) => textOfForm(one) === null);
  const apply = () => {
    let next = text;
    for (const [object, choice] of Object.entries(choices))
      next = withChoice(next, cellOf(object), conditionOfChoice(choice));
    for (const [documentType, form] of Object.entries(changed)) {
      const before = presentLimit(limits, role.name, documentType);
      const after = textOfForm(form) ?? before;
      next = withLimit(next, { role: role.name, documentType, before, after });
    }
    onApply(next);
  };
  const actionName = t(`authority.action.${term.action}` as 'authority.action.read', {
    defaultValue: term.action,
  });
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
      title={t('authority.matrix.cellTitle', { action: actionName, role: role.label })}
    >
      <Stack gap="md">
        {term.objects.map((object) => (
          <ObjectChoice
            key={object}
            rules={rules}
            cell={cellOf(object)}
            choice={choices[object] ?? null}
            vocabulary={{ types, roles, ofCase: /case/.test(object) }}
            onChoose={(choice) => setChoices({ ...choices, [object]: choice })}
          />
        ))}
        {term.limited && (
          <LimitFields
            {...props}
            changed={changed}
            onChange={(documentType, form) => setChanged({ ...changed, [documentType]: form })}
          />
        )}
        <Text size="xs" c="dimmed">
          {t('authority.matrix.later')}
        </Text>
        <Group justify="flex-end" className="cs-dialog-foot">
          <Button variant="default" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <ButtonWithReason
            disabledReason={incomplete ? t('authority.form.incomplete') : null}
            onClick={apply}
          >
            {t('authority.matrix.apply')}
          </ButtonWithReason>
        </Group>
      </Stack>
    </Modal>
  );
}

function conditionOfChoice(choice: Choice): string | null {
  if (choice.kind === 'no') return null;
  return choice.kind === 'text' ? choice.text : conditionText(choice.form);
}

const no = 'no';
const form = 'form';
const when = 'if ';

interface ObjectChoiceProps {
  rules: readonly PolicyRule[];
  cell: { role: string; action: string; object: string };
  /** Null if nothing was chosen yet. */
  choice: Choice | null;
  vocabulary: Vocabulary;
  onChoose: (choice: Choice) => void;
}

/** The choice of one object: not allowed, allowed, or allowed under a condition. */
function ObjectChoice({ rules, cell, choice, vocabulary, onChoose }: ObjectChoiceProps) {
  const { t, i18n } = useTranslation();
  const present = choiceOf(rules, cell);
  const label = t(`authority.matrix.object.${cell.object}` as 'authority.matrix.object.case', {
    defaultValue: cell.object,
  });
  if ('rules' in present) {
    return (
      <div>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="sm">{t('authority.matrix.kept')}</Text>
        {present.rules.map((rule) => (
          <Text size="xs" key={rule.name} className={`cs-mono ${classes.kept}`}>
            {rule.name}: {rule.effect} {rule.condition}
          </Text>
        ))}
      </div>
    );
  }
  const chosen = choice ?? startOf(present.choice);
  // A rule about the whole installation cannot have a condition; one about cases knows fewer facts.
  const hasConditions = cell.object !== 'house';
  const offered = conditionsOf(rules).filter(
    (one) => !vocabulary.ofCase || !/review\.(?:queue|level|status)/.test(one),
  );
  const conditions = hasConditions ? offered : [];
  const value = chosen.kind === 'no' ? no : chosen.kind === 'form' ? form : when + chosen.text;
  return (
    <div>
      <NativeSelect
        label={label}
        value={value}
        onChange={({ currentTarget }) =>
          onChoose(choiceFor(currentTarget.value, chosen, vocabulary))
        }
        data={[
          { value: no, label: t('authority.matrix.no') },
          { value: when, label: t('authority.matrix.yes') },
          ...(hasConditions ? [{ value: form, label: t('authority.matrix.conditional') }] : []),
          ...conditions.map((condition) => ({
            value: when + condition,
            label: t('authority.matrix.when', {
              condition: conditionWords(t, i18n.language, condition),
            }),
          })),
        ]}
      />
      {chosen.kind === 'text' && chosen.text !== '' && (
        <Text size="xs" className={classes.kept}>
          {conditionOf(chosen.text) ? null : t('authority.matrix.textOnly')}
        </Text>
      )}
      {chosen.kind === 'form' && (
        <ConditionForm
          condition={chosen.form}
          vocabulary={vocabulary}
          label={label}
          onChange={(changed) => onChoose({ kind: 'form', form: changed })}
        />
      )}
    </div>
  );
}

const startOf = (condition: string | null): Choice =>
  condition === null ? { kind: 'no' } : { kind: 'text', text: condition };

/** The choice of an option. A form begins with the condition that was chosen, if it can express it. */
function choiceFor(value: string, before: Choice, vocabulary: Vocabulary): Choice {
  if (value === no) return { kind: 'no' };
  if (value !== form) return { kind: 'text', text: value.slice(when.length) };
  const known = before.kind === 'text' ? conditionOf(before.text) : null;
  const first = newPart(vocabulary.ofCase ? 'document_type' : 'queue');
  return { kind: 'form', form: known ?? { join: 'and', parts: [first] } };
}

interface LimitFieldsProps extends CellDialogProps {
  changed: Readonly<Record<string, LimitForm>>;
  onChange: (documentType: string, form: LimitForm) => void;
}

/** The limit of the role for one document type. */
function LimitFields(props: LimitFieldsProps) {
  const { text, role, limits, types, type, changed, onChange } = props;
  const { t } = useTranslation();
  const [documentType, setType] = useState(type);
  const shown =
    changed[documentType] ?? limitForm(limitText(limits, limitsOf(text), role.name, documentType));
  const kinds: LimitKind[] = ['amount', 'unlimited', 'none'];
  return (
    <fieldset className={classes.condition}>
      <legend className={classes.legend}>{t('authority.limit.of', { role: role.label })}</legend>
      <Text size="sm" mb="xs">
        {t('authority.limit.text')}
      </Text>
      <Group gap="xs" align="flex-end" className={classes.part}>
        <NativeSelect
          label={t('authority.limit.type')}
          value={documentType}
          onChange={({ currentTarget }) => setType(currentTarget.value)}
          data={[
            { value: '', label: t('authority.limit.everyType') },
            ...types.map((one) => ({ value: one, label: documentTypeLabels(t, [one]) })),
          ]}
        />
        <NativeSelect
          label={t('authority.limit.kind')}
          value={shown.kind}
          onChange={({ currentTarget }) =>
            onChange(documentType, { ...shown, kind: currentTarget.value as LimitKind })
          }
          data={kinds.map((one) => ({
            value: one,
            label:
              one === 'none' && documentType !== ''
                ? t('authority.limit.kinds.others')
                : t(`authority.limit.kinds.${one}`),
          }))}
        />
        {shown.kind === 'amount' && (
          <TextInput
            inputMode="decimal"
            maxLength={20}
            label={t('authority.limit.amount', { currency: baseCurrency })}
            value={shown.amount}
            error={
              shown.amount !== '' && textOfForm(shown) === null
                ? t('authority.limit.amountFirst')
                : null
            }
            onChange={({ currentTarget }) =>
              onChange(documentType, { kind: 'amount', amount: currentTarget.value })
            }
          />
        )}
      </Group>
    </fieldset>
  );
}
