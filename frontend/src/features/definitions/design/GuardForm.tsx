// The condition of a branch, as comparisons of facts. A condition that the form cannot express is
// edited as text.
import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  amountFacts,
  type Comparison,
  countFacts,
  type Guard,
  guardOf,
  guardText,
  numberFacts,
  ruleFacts,
  textFacts,
} from '../../../lib/guard';
import { factName } from '../../../lib/guard-words';
import { baseCurrency } from '../../../lib/money';
import { Icon } from '../../../ui/Icon';
import classes from './design.module.css';
import { MoneyField } from './Field';

interface GuardFormProps {
  when: string;
  /** The ids of rules, for conditions on findings. */
  rules: readonly string[];
  onChange: (when: string) => void;
}

const facts = [...amountFacts, ...numberFacts, ...textFacts, ...ruleFacts, ...countFacts];

export function GuardForm({ when, rules, onChange }: GuardFormProps) {
  const { t } = useTranslation();
  const guard = guardOf(when);
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
  const change = (next: Partial<Guard>) => onChange(guardText({ ...guard, ...next }));
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
          rules={rules}
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
        onClick={() => change({ comparisons: [...guard.comparisons, comparisonFor('risk')] })}
      >
        {t('design.guard.add')}
      </Button>
    </fieldset>
  );
}

/** A first comparison with the fact. */
function comparisonFor(fact: Comparison['fact']): Comparison {
  switch (fact) {
    case 'amount':
      return { fact, is: 'atLeast', value: 10_000_000 };
    case 'risk':
      return { fact, is: 'atLeast', value: 30 };
    case 'finding':
      return { fact, is: 'present', value: 'high_risk_country' };
    case 'missing':
    case 'unsure_fields':
    case 'unstated':
    case 'blocking':
    case 'warnings':
      return { fact, is: 'some' };
    default:
      return { fact, is: 'equal', name: fact === 'field' ? 'department' : '', value: '' };
  }
}

const relations = (one: Comparison): readonly Comparison['is'][] =>
  one.is === 'atLeast' || one.is === 'below'
    ? ['atLeast', 'below']
    : one.is === 'equal' || one.is === 'different'
      ? ['equal', 'different']
      : one.is === 'present' || one.is === 'absent'
        ? ['present', 'absent']
        : ['some', 'none'];

interface ComparisonProps {
  comparison: Comparison;
  rules: readonly string[];
  onChange: (next: Comparison) => void;
  onRemove: (() => void) | null;
}

function ComparisonRow({ comparison, rules, onChange, onRemove }: ComparisonProps) {
  const { t } = useTranslation();
  return (
    <Group gap={6} align="end">
      <NativeSelect
        size="xs"
        aria-label={t('design.guard.fact')}
        value={comparison.fact}
        data={facts.map((fact) => ({ value: fact, label: factName(t, fact) }))}
        onChange={(event) =>
          onChange(comparisonFor(event.currentTarget.value as Comparison['fact']))
        }
      />
      <NativeSelect
        size="xs"
        aria-label={t('design.guard.relation')}
        value={comparison.is}
        data={relations(comparison).map((is) => ({ value: is, label: t(`guard.is.${is}`) }))}
        onChange={(event) =>
          onChange({ ...comparison, is: event.currentTarget.value } as Comparison)
        }
      />
      <Operand comparison={comparison} rules={rules} onChange={onChange} />
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
  rules,
  onChange,
}: Pick<ComparisonProps, 'comparison' | 'rules' | 'onChange'>) {
  const { t } = useTranslation();
  switch (comparison.fact) {
    case 'amount':
      return (
        <MoneyField
          label={t('design.guard.amount', { currency: baseCurrency })}
          value={comparison.value}
          onChange={(value) => onChange({ ...comparison, value: Number(value ?? 0) })}
        />
      );
    case 'risk':
      return (
        <NumberInput
          size="xs"
          aria-label={t('design.guard.value')}
          value={comparison.value}
          min={0}
          max={100}
          w={80}
          onChange={(value) => onChange({ ...comparison, value: Number(value) })}
        />
      );
    case 'finding':
      return (
        <NativeSelect
          size="xs"
          aria-label={t('design.guard.rule')}
          value={comparison.value}
          data={[...new Set([...rules, comparison.value])].sort()}
          onChange={(event) => onChange({ ...comparison, value: event.currentTarget.value })}
        />
      );
    case 'missing':
    case 'unsure_fields':
    case 'unstated':
    case 'blocking':
    case 'warnings':
      return null;
    default:
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
}
