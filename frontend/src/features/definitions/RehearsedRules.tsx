// Which rules would find more or less, and which cannot be judged on past cases.
import { Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { factName } from '../../lib/guard-words';
import classes from './definitions.module.css';
import { type Rehearsed, ruleNamesOf } from './rehearsal';

export function RehearsedRules({ rehearsal: { rules } }: { rehearsal: Rehearsed }) {
  const { t, i18n } = useTranslation();
  if (!rules) return null;
  const names = ruleNamesOf(rules, i18n.language);
  const nameOf = (rule: string) => names.get(rule) ?? rule;
  return (
    <div>
      <Title order={3} size="h5" id="rehearsal-rules">
        {t('rehearsal.rules')}
      </Title>
      {rules.length === 0 && <Text size="sm">{t('rehearsal.noRules')}</Text>}
      <ul className={classes.resultList}>
        {rules.map(({ rule, undetermined, facts, unlikeRecord }) => (
          <RuleLimits
            key={rule}
            texts={[
              undetermined > 0 &&
                t('rehearsal.unrecorded', {
                  rule: nameOf(rule),
                  facts: facts.map((fact) => factName(t, fact)).join(', '),
                  count: undetermined,
                }),
              unlikeRecord > 0 &&
                t('rehearsal.unlike', { rule: nameOf(rule), count: unlikeRecord }),
            ]}
          />
        ))}
      </ul>
      {rules.length > 0 && <RuleTable rules={rules} />}
    </div>
  );
}

const columns = ['before', 'after', 'appears', 'disappears'] as const;

function RuleLimits({ texts }: { texts: readonly (string | false)[] }) {
  return texts.map((text) => text !== false && <li key={text}>{text}</li>);
}

/** The sums of a rule, which a report records too. */
type RuleSums = Pick<
  NonNullable<Rehearsed['rules']>[number],
  'rule' | 'titles' | (typeof columns)[number]
>;

export function RuleTable({ rules }: { rules: readonly RuleSums[] }) {
  const { t, i18n } = useTranslation();
  const names = ruleNamesOf(rules, i18n.language);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable
    <section className={classes.wide} tabIndex={0} aria-label={t('rehearsal.rules')}>
      <table className="cs-table" aria-label={t('rehearsal.rules')}>
        <thead>
          <tr>
            <th>{t('rehearsal.rule')}</th>
            {columns.map((name) => (
              <th data-number key={name}>
                {t(`rehearsal.ruleColumn.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rules.map((one) => (
            <tr key={one.rule}>
              <th scope="row">{names.get(one.rule) ?? one.rule}</th>
              {columns.map((name) => (
                <td data-number key={name}>
                  {one[name]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
