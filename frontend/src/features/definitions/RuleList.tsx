// The rules of a set: title, question, severity, condition and message of each.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RuleLineFragment, Severity } from '../../graphql/generated/graphql';
import { ruleVocabulary } from '../../lib/guard';
import { guardWords } from '../../lib/guard-words';
import type { IconName } from '../../ui/Icon';
import { Badge, type Tone } from '../../ui/StatusBadge';
import classes from './definitions.module.css';
import { localizedName } from './processes';

const appearance: Record<Severity, [Tone, IconName]> = {
  BLOCKING: ['bad', 'refused'],
  WARNING: ['warn', 'alert'],
  INFO: ['calm', 'eye'],
};

/** The severity of a rule as a badge. */
export function SeverityBadge({ severity }: { severity: Severity }) {
  const { t } = useTranslation();
  const [tone, icon] = appearance[severity];
  return (
    <Badge tone={tone} icon={icon}>
      {t(`case.severity.${severity}`)}
    </Badge>
  );
}

export function RuleList({ rules }: { rules: readonly RuleLineFragment[] }) {
  const { t, i18n } = useTranslation();
  return (
    <ul className={classes.rules} aria-label={t('definitions.rules.list')}>
      {rules.map((rule) => (
        <li key={rule.id} className={classes.rule}>
          <div>
            <SeverityBadge severity={rule.severity} />
            <Text size="xs" c="dimmed">
              {t(`definitions.rules.phase.${rule.phase}`)}
              {rule.score > 0 && ` · +${rule.score}`}
            </Text>
          </div>
          <div className={classes.ruleText}>
            <Text size="sm" fw={560}>
              {localizedName(rule.titles, i18n.language, '')}
            </Text>
            <Text size="sm">{localizedName(rule.questions, i18n.language, '')}</Text>
            <Text size="sm">{localizedName(rule.messages, i18n.language, '')}</Text>
            <Condition rule={rule} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The condition in words; the code of one that a form cannot express is folded. */
function Condition({ rule: { id, when } }: { rule: RuleLineFragment }) {
  const { t, i18n } = useTranslation();
  const words = guardWords(t, i18n.language, when, ruleVocabulary);
  if (words !== when)
    return (
      <Text size="sm" c="dimmed">
        {t('definitions.rules.when', { words })} <span className="cs-mono">{id}</span>
      </Text>
    );
  return (
    <details>
      <summary className={classes.code}>
        {t('definitions.rules.code')} <span className="cs-mono">{id}</span>
      </summary>
      <Text size="xs" component="div" className="cs-mono">
        {when}
      </Text>
    </details>
  );
}
