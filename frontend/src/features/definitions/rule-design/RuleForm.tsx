// The form of a rule: its words, its condition, its points, and what an approval needs.
import {
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ruleVocabulary } from '../../../lib/guard';
import { textOf } from '../design/design';
import designClasses from '../design/design.module.css';
import type { Path } from '../design/edit-text';
import { GuardForm } from '../design/GuardForm';
import type { DesignChoices } from '../design/use-choices';
import { moveRule, removeRule, setOverride, setRule } from './change';
import { overrideOf } from './changes';
import {
  overrideName,
  overrides,
  phaseName,
  phases,
  severities,
  severityName,
  textOnly,
} from './rule-words';
import { type RuleEntry, type RuleTexts, ruleName, wordsOf } from './rules';

interface RuleFormProps {
  text: string;
  set: RuleTexts;
  rule: RuleEntry;
  /** Whether the rule was published: its id does not change. */
  known: boolean;
  choices: DesignChoices;
  /** `index` is the position of the rule to show afterwards. */
  onChange: (text: string, what: string, index?: number) => void;
}

const languages = ['en', 'zh'] as const;

export function RuleForm(props: RuleFormProps) {
  const { text, rule, known, onChange } = props;
  const { t, i18n } = useTranslation();
  const change = (path: Path, value: unknown) =>
    onChange(setRule(text, rule, path, value), `${rule.index}/${path.join('/')}`);
  const others = textOnly(rule);
  return (
    <section className={designClasses.form} aria-labelledby="rule-form">
      <Title order={3} size="h4" id="rule-form">
        {t('ruleDesign.rule', { name: ruleName(rule, i18n.language) })}
      </Title>
      {known ? (
        <Text size="xs" c="dimmed" className="cs-mono">
          {rule.id}
        </Text>
      ) : (
        <TextInput
          size="sm"
          label={t('ruleDesign.part.id')}
          description={t('ruleDesign.idHint')}
          maxLength={63}
          value={rule.id}
          onChange={(event) => change(['id'], event.currentTarget.value)}
        />
      )}
      {languages.map((language) => (
        <TextInput
          key={language}
          size="sm"
          label={t(`ruleDesign.part.title_${language}`)}
          lang={language}
          maxLength={200}
          value={wordsOf(rule, 'title', language)}
          onChange={(event) => change(['title', language], event.currentTarget.value)}
        />
      ))}
      <GuardForm
        when={textOf(rule.attributes.when)}
        rules={[]}
        vocabulary={ruleVocabulary}
        onChange={(when) => change(['when'], when)}
      />
      {others.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('ruleDesign.others', { names: others.join(', ') })}
          {others.includes('sums') && ` ${t('ruleDesign.sums')}`}
        </Text>
      )}
      <Consequences {...props} change={change} />
      {(['asks', 'message'] as const).map((attribute) =>
        languages.map((language) => (
          <Textarea
            key={`${attribute} ${language}`}
            size="sm"
            autosize
            label={t(`ruleDesign.part.${attribute}_${language}`)}
            lang={language}
            value={wordsOf(rule, attribute, language)}
            onChange={(event) => change([attribute, language], event.currentTarget.value)}
          />
        )),
      )}
      <Placement {...props} />
    </section>
  );
}

/** The severity, the points, the phase, and what an approval needs while the finding is open. */
function Consequences({
  text,
  rule,
  choices,
  onChange,
  change,
}: RuleFormProps & { change: (path: Path, value: unknown) => void }) {
  const { t } = useTranslation();
  const { severity, phase, score, override, override_queue } = rule.attributes;
  const queue = textOf(override_queue);
  const setNeeds = (kind: string, named: string) =>
    onChange(setOverride(text, rule, kind, named), `${rule.index}/override`);
  const known = (all: readonly string[], value: string) =>
    all.includes(value) ? [...all] : [value, ...all];
  return (
    <>
      <NativeSelect
        size="sm"
        label={t('ruleDesign.part.severity')}
        value={textOf(severity)}
        data={known(severities, textOf(severity)).map((value) => ({
          value,
          label: severityName(t, value),
        }))}
        onChange={(event) => change(['severity'], event.currentTarget.value)}
      />
      <NumberInput
        size="sm"
        label={t('ruleDesign.part.score')}
        value={typeof score === 'number' ? score : ''}
        min={0}
        max={100}
        allowDecimal={false}
        onChange={(next) => change(['score'], typeof next === 'number' ? next : 0)}
      />
      <NativeSelect
        size="sm"
        label={t('ruleDesign.part.phase')}
        value={textOf(phase)}
        data={known(phases, textOf(phase)).map((value) => ({
          value,
          label: phaseName(t, value),
        }))}
        onChange={(event) => change(['phase'], event.currentTarget.value)}
      />
      <NativeSelect
        size="sm"
        label={t('ruleDesign.part.override')}
        value={textOf(override)}
        data={known(['', ...overrides], textOf(override)).map((value) => ({
          value,
          label:
            value === ''
              ? t('ruleDesign.overrideUsual', {
                  kind: overrideName(t, overrideOf({ ...rule, attributes: { severity } })),
                })
              : overrideName(t, value),
        }))}
        onChange={(event) =>
          setNeeds(event.currentTarget.value, queue || (choices.queues[0] ?? 'L2'))
        }
      />
      {override === 'queue' && (
        <NativeSelect
          size="sm"
          label={t('ruleDesign.part.override_queue')}
          value={queue}
          data={[...new Set([...choices.queues, queue])].sort()}
          onChange={(event) => setNeeds('queue', event.currentTarget.value)}
        />
      )}
    </>
  );
}

/** Moves the rule to another position, or removes it. */
function Placement({ text, set, rule, onChange }: RuleFormProps) {
  const { t } = useTranslation();
  const last = set.rules.length - 1;
  const move = (to: number) => onChange(moveRule(text, rule, to), `move ${rule.index} ${to}`, to);
  return (
    <Group gap="xs">
      <Button
        size="compact-sm"
        variant="default"
        disabled={rule.index === 0}
        onClick={() => move(rule.index - 1)}
      >
        {t('ruleDesign.up')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        disabled={rule.index === last}
        onClick={() => move(rule.index + 1)}
      >
        {t('ruleDesign.down')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        disabled={last === 0}
        onClick={() => onChange(removeRule(text, set, rule), `remove ${rule.id} ${rule.index}`, -1)}
      >
        {t('ruleDesign.remove')}
      </Button>
    </Group>
  );
}
