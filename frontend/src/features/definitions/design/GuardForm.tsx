// The condition of a branch, as comparisons of facts. A condition that the form cannot express is
// edited as text.
import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { DeclaredAttribute } from '../../../lib/attributes';
import {
  type Comparison,
  currencyOf,
  type Fact,
  type Guard,
  guardOf,
  guardText,
  type ListedFact,
  listedFacts,
  processVocabulary,
  type TextComparison,
  type TruthFact,
  truthFacts,
  type Vocabulary,
} from '../../../lib/guard';
import type { AttributeComparison } from '../../../lib/guard-attribute';
import { factName, valueName } from '../../../lib/guard-words';
import { baseCurrency } from '../../../lib/money';
import { Icon } from '../../../ui/Icon';
import { AmountOperand } from './AmountOperand';
import {
  AttributeOperand,
  attributeComparison,
  attributeRelations,
  withRelation,
} from './AttributeOperand';
import classes from './design.module.css';

interface GuardFormProps {
  when: string;
  /** The ids of rules, for conditions on findings. */
  rules: readonly string[];
  /** The attributes of the submission. */
  attributes?: readonly DeclaredAttribute[];
  /** The facts that the condition can compare. */
  vocabulary?: Vocabulary;
  onChange: (when: string) => void;
}

export function GuardForm({
  when,
  rules,
  attributes = [],
  vocabulary = processVocabulary,
  onChange,
}: GuardFormProps) {
  const { t } = useTranslation();
  const guard = guardOf(when, vocabulary);
  if (!guard) {
    return (
      <Textarea
        size="sm"
        label={t('design.guard.text')}
        description={t('design.guard.expert')}
        autosize
        minRows={2}
        value={when}
        classNames={{ input: 'cs-mono' }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const change = (next: Partial<Guard>) => onChange(guardText({ ...guard, ...next }, vocabulary));
  const replace = (index: number, next: Comparison) =>
    change({ comparisons: guard.comparisons.map((one, at) => (at === index ? next : one)) });
  return (
    <fieldset className={classes.guard}>
      <legend>{t('design.guard.legend')}</legend>
      {guard.comparisons.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label={t('design.guard.join')}
          value={guard.join}
          data={(['and', 'or'] as const).map((join) => ({
            value: join,
            label: t(`design.guard.${join}`),
          }))}
          onChange={(event) => change({ join: event.currentTarget.value as Guard['join'] })}
        />
      )}
      {guard.comparisons.map((one, index) => (
        <ComparisonRow
          // biome-ignore lint/suspicious/noArrayIndexKey: comparisons have no identity of their own
          key={index}
          comparison={one}
          currency={currencyOf(guard)}
          rules={rules}
          attributes={attributes}
          facts={vocabulary.facts.filter(
            (fact) => fact !== 'attribute' || attributes.length > 0 || one.fact === fact,
          )}
          onChange={(next) => replace(index, next)}
          onRemove={
            guard.comparisons.length > 1
              ? () => change({ comparisons: guard.comparisons.filter((_, at) => at !== index) })
              : null
          }
        />
      ))}
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={() =>
          change({
            comparisons: [...guard.comparisons, comparisonFor(vocabulary.facts[1] ?? 'risk')],
          })
        }
      >
        {t('design.guard.add')}
      </Button>
    </fieldset>
  );
}

/** A first comparison with the fact. */
export function comparisonFor(
  fact: Fact,
  attributes: readonly DeclaredAttribute[] = [],
): Comparison {
  switch (fact) {
    case 'attribute':
      return attributeComparison(attributes[0]);
    case 'amount':
    case 'document_amount':
      return { fact, is: 'atLeast', value: 10_000_000 };
    case 'risk':
    case 'date_age':
    case 'due_after':
      return { fact, is: 'atLeast', value: 30 };
    case 'vendor_approved':
      return { fact, is: 'below', value: 1 };
    case 'finding':
      return { fact, is: 'present', value: 'high_risk_country' };
    case 'missing_field':
      return { fact, is: 'present', value: 'total' };
    case 'country_risk':
      return { fact, is: 'equal', name: '', value: 'high' };
    case 'iban_fault':
    case 'vat_fault':
      return { fact, is: 'different', name: '', value: '' };
    case 'country':
    case 'currency':
    case 'document_type':
    case 'channel':
    case 'outcome':
    case 'field':
      return { fact, is: 'equal', name: fact === 'field' ? 'department' : '', value: '' };
    default:
      return isTruth(fact) ? { fact, is: 'true' } : { fact, is: 'some' };
  }
}

const isTruth = (fact: Fact): fact is TruthFact => (truthFacts as readonly string[]).includes(fact);

const pairsOfRelations = [
  ['atLeast', 'below'],
  ['equal', 'different'],
  ['present', 'absent'],
  ['some', 'none'],
  ['true', 'false'],
] as const;

const relations = (
  one: Comparison,
  attributes: readonly DeclaredAttribute[],
): readonly Comparison['is'][] =>
  one.fact === 'attribute'
    ? attributeRelations(
        one,
        attributes.find(({ name }) => name === one.name),
      )
    : isListed(one.fact)
      ? listRelations
      : (pairsOfRelations.find((pair) => (pair as readonly string[]).includes(one.is)) ?? []);

const listRelations = ['equal', 'different', 'oneOf', 'noneOf'] as const;

const isListed = (fact: Fact): fact is ListedFact =>
  (listedFacts as readonly string[]).includes(fact);

/** The comparison with another relation: of one value or of several. */
function related(one: Comparison, is: Comparison['is']): Comparison {
  if (!isListed(one.fact)) return { ...one, is } as Comparison;
  const values = 'values' in one ? one.values : 'value' in one ? [String(one.value)] : [''];
  return is === 'oneOf' || is === 'noneOf'
    ? { fact: one.fact, is, values }
    : ({ fact: one.fact, is, name: '', value: values[0] ?? '' } as Comparison);
}

/** The values of facts that have no others. '' is no fault, or no risk. */
const choices: Partial<Record<Fact, readonly string[]>> = {
  country_risk: ['high', 'elevated', ''],
  iban_fault: ['', 'too_short', 'form', 'country', 'length', 'check_digits'],
  vat_fault: ['', 'form', 'check_digits'],
};

interface ComparisonProps {
  comparison: Comparison;
  /** The currency that the whole condition requires; null if the document can be in any. */
  currency: string | null;
  rules: readonly string[];
  facts: readonly Fact[];
  attributes: readonly DeclaredAttribute[];
  onChange: (next: Comparison) => void;
  onRemove: (() => void) | null;
}

function ComparisonRow(props: ComparisonProps) {
  const { comparison, currency, rules, facts, attributes, onChange, onRemove } = props;
  const { t } = useTranslation();
  return (
    <Group gap={6} align="end">
      <NativeSelect
        size="xs"
        aria-label={t('design.guard.fact')}
        value={comparison.fact}
        data={facts.map((fact) => ({ value: fact, label: factName(t, fact) }))}
        onChange={(event) => onChange(comparisonFor(event.currentTarget.value as Fact, attributes))}
      />
      <NativeSelect
        size="xs"
        aria-label={t('design.guard.relation')}
        value={comparison.is}
        data={relations(comparison, attributes).map((is) => ({
          value: is,
          label: t(`guard.is.${is}`),
        }))}
        onChange={(event) => {
          const is = event.currentTarget.value as Comparison['is'];
          onChange(
            comparison.fact === 'attribute'
              ? withRelation(comparison, is)
              : related(comparison, is),
          );
        }}
      />
      {comparison.fact === 'attribute' ? (
        <AttributeOperand comparison={comparison} attributes={attributes} onChange={onChange} />
      ) : (
        <Operand {...{ comparison, currency, rules, onChange }} />
      )}
      {onRemove && (
        <ActionIcon variant="subtle" aria-label={t('design.guard.remove')} onClick={onRemove}>
          <Icon name="cross" size={14} />
        </ActionIcon>
      )}
    </Group>
  );
}

function Operand({
  comparison,
  currency,
  rules,
  onChange,
}: {
  comparison: Exclude<Comparison, AttributeComparison>;
  currency: string | null;
  rules: readonly string[];
  onChange: (next: Comparison) => void;
}) {
  const { t } = useTranslation();
  switch (comparison.is) {
    case 'atLeast':
    case 'below':
      if (comparison.fact === 'amount' || comparison.fact === 'document_amount')
        return (
          <AmountOperand
            {...{ comparison, onChange }}
            currency={comparison.fact === 'amount' ? baseCurrency : currency}
          />
        );
      return (
        <NumberInput
          size="xs"
          aria-label={t('design.guard.value')}
          value={comparison.value}
          min={comparison.fact === 'risk' ? 0 : -9_999}
          max={comparison.fact === 'risk' ? 100 : 9_999}
          allowDecimal={false}
          w={80}
          onChange={(value) => onChange({ ...comparison, value: Number(value) })}
        />
      );
    case 'present':
    case 'absent':
      if (comparison.fact === 'missing_field')
        return (
          <TextInput
            size="xs"
            w={120}
            aria-label={t('design.guard.field')}
            value={comparison.value}
            onChange={(event) => onChange({ ...comparison, value: event.currentTarget.value })}
          />
        );
      return (
        <NativeSelect
          size="xs"
          aria-label={t('design.guard.rule')}
          value={comparison.value}
          data={[...new Set([...rules, comparison.value])].sort()}
          onChange={(event) => onChange({ ...comparison, value: event.currentTarget.value })}
        />
      );
    case 'oneOf':
    case 'noneOf':
      return (
        <TagsInput
          size="xs"
          aria-label={t('design.guard.values')}
          value={[...comparison.values]}
          acceptValueOnBlur
          // Without a value there is no condition, so the last one stays.
          onChange={(values) => values.length > 0 && onChange({ ...comparison, values })}
        />
      );
    case 'equal':
    case 'different':
      return <TextOperand comparison={comparison} onChange={onChange} />;
    default:
      return null;
  }
}

/** The text that a fact is compared with: a choice if the fact has few values. */
function TextOperand({
  comparison,
  onChange,
}: {
  comparison: TextComparison;
  onChange: (next: Comparison) => void;
}) {
  const { t } = useTranslation();
  const known = choices[comparison.fact];
  if (known) {
    return (
      <NativeSelect
        size="xs"
        aria-label={t('design.guard.value')}
        value={comparison.value}
        data={[...new Set([...known, comparison.value])].map((value) => ({
          value,
          label: value === '' ? t('guard.value.none') : valueName(t, value),
        }))}
        onChange={(event) => onChange({ ...comparison, value: event.currentTarget.value })}
      />
    );
  }
  return (
    <>
      {comparison.fact === 'field' && (
        <TextInput
          size="xs"
          w={120}
          aria-label={t('design.guard.field')}
          value={comparison.name}
          onChange={(event) => onChange({ ...comparison, name: event.currentTarget.value })}
        />
      )}
      <TextInput
        size="xs"
        w={120}
        aria-label={t('design.guard.value')}
        value={comparison.value}
        onChange={(event) => onChange({ ...comparison, value: event.currentTarget.value })}
      />
    </>
  );
}
