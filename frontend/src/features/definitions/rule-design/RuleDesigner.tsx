// The rules of a set as a list, with the form of the chosen one. Both change the text of the set.
import { Button, Group, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../../ui/StatusBadge';
import { Notice } from '../../../ui/states';
import { textOf } from '../design/design';
import { useChoices } from '../design/use-choices';
import type { Steps } from '../design/use-steps';
import { addRule } from './change';
import { changesOfRules } from './changes';
import { RuleForm } from './RuleForm';
import classes from './rule-design.module.css';
import { severityName } from './rule-words';
import { type RuleEntry, readRules, ruleName, typesOf } from './rules';
import { type Figures, figureDays, useFigures } from './use-figures';

interface RuleDesignerProps {
  text: string;
  /** The text that is being changed; the list marks what differs from it. */
  baseText: string;
  steps: Steps;
}

export function RuleDesigner({ text, baseText, steps }: RuleDesignerProps) {
  const { t } = useTranslation();
  const choices = useChoices();
  const [selected, setSelected] = useState<number | null>(null);
  const read = useMemo(() => readRules(text), [text]);
  const types = 'set' in read ? typesOf(read.set) : '';
  const figures = useFigures(useMemo(() => (types ? types.split(' ') : []), [types]));
  const marks = useMemo(
    () => new Map(changesOfRules(baseText, text)?.map(({ id, kind }) => [id, kind])),
    [baseText, text],
  );
  if ('problem' in read) {
    const { reason, line } = read.problem;
    return (
      <Notice tone="warn">
        {t(`ruleDesign.unreadable.${reason}`)} {line > 0 && t('design.line', { line })}
      </Notice>
    );
  }
  const { set } = read;
  const rule = set.rules.find(({ index }) => index === selected) ?? null;
  const add = () => {
    const after = rule?.index ?? set.rules.length - 1;
    const added = addRule(text, set, after);
    steps.change(added.text, `add ${added.id}`);
    setSelected(after + 1);
  };
  return (
    <section className="cs-card" aria-labelledby="rules">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="rules">
          {t('definitions.rules.list')}
        </Title>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={add}>
            {t('ruleDesign.add')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={steps.undo === null}
            onClick={steps.undo ?? undefined}
          >
            {t('design.undo')}
          </Button>
        </Group>
      </Group>
      {figures && (
        <Text size="xs" c="dimmed" mb="xs">
          {t('ruleDesign.figuresOf', { count: figureDays })}
        </Text>
      )}
      <div className={classes.designer}>
        <ul className={classes.list} aria-label={t('definitions.rules.list')}>
          {set.rules.map((one) => (
            <li key={one.index}>
              <RuleLine
                rule={one}
                mark={marks.get(one.id)}
                figures={figures && (figures.get(one.id) ?? { hits: 0, overruled: 0 })}
                pressed={one === rule}
                onChoose={() => setSelected(one.index)}
              />
            </li>
          ))}
        </ul>
        {rule ? (
          <RuleForm
            key={rule.index}
            {...{ text, set, rule, choices }}
            known={marks.get(rule.id) !== 'added'}
            onChange={(next, what, index) => {
              if (index !== undefined) setSelected(index);
              steps.change(next, what);
            }}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {t('ruleDesign.choose')}
          </Text>
        )}
      </div>
    </section>
  );
}

interface RuleLineProps {
  rule: RuleEntry;
  /** How the rule differs from the text that is being changed. */
  mark: string | undefined;
  figures: Figures | null;
  pressed: boolean;
  onChoose: () => void;
}

function RuleLine({ rule, mark, figures, pressed, onChoose }: RuleLineProps) {
  const { t, i18n } = useTranslation();
  return (
    <button type="button" aria-pressed={pressed} onClick={onChoose}>
      <Text size="sm" span inherit>
        {ruleName(rule, i18n.language) || t('ruleDesign.unnamed')}
      </Text>
      {(mark === 'added' || mark === 'changed' || mark === 'moved') && (
        <Badge tone={mark === 'added' ? 'good' : 'warn'}>{t(`ruleDesign.mark.${mark}`)}</Badge>
      )}
      <Text size="xs" c="dimmed" span className={classes.figures}>
        {severityName(t, textOf(rule.attributes.severity))} · +{textOf(rule.attributes.score)}
        {figures && ` · ${t('ruleDesign.figures', { ...figures })}`}
      </Text>
    </button>
  );
}
