// The rules of a policy text as a table of actions and roles. A cell opens the choices of its objects.
import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyHistoryQuery } from '../../graphql/generated/graphql';
import classes from './authority.module.css';
import { conditionWords } from './condition-words';
import { choiceOf, conditionsOf, type PolicyRule, rulesOf, withChoice } from './policy-text';

type Term = PolicyHistoryQuery['policyTerms']['actions'][number];
type Role = PolicyHistoryQuery['roles'][number];

interface PolicyMatrixProps {
  text: string;
  terms: readonly Term[];
  roles: readonly Role[];
  onChange: (text: string) => void;
}

type State = 'none' | 'allowed' | 'conditional' | 'text' | 'denied';

const signs: Record<State, string> = {
  none: '–',
  allowed: '✓',
  conditional: '✓*',
  text: '…',
  denied: '✕',
};

/** What the rules say about a role and an action, whatever the object. */
function stateOf(rules: readonly PolicyRule[], role: string, { action, objects }: Term): State {
  const found = rules.filter((rule) => rule.role === role && rule.action === action);
  if (found.length === 0) return 'none';
  if (found.some(({ effect }) => effect !== 'allow')) return 'denied';
  const several = objects.some((object) => 'rules' in choiceOf(rules, { role, action, object }));
  if (several) return 'text';
  return found.some(({ condition }) => condition !== '') ? 'conditional' : 'allowed';
}

export function PolicyMatrix({ text, terms, roles, onChange }: PolicyMatrixProps) {
  const { t } = useTranslation();
  const [cell, setCell] = useState<{ role: Role; term: Term } | null>(null);
  const rules = rulesOf(text);
  if (!rules) return <Text size="sm">{t('authority.matrix.broken')}</Text>;
  const roleName = ({ name, builtIn }: Role) =>
    builtIn ? t(`app.roles.${name}` as 'app.roles.manager', { defaultValue: name }) : name;
  const actionName = (action: string) =>
    t(`authority.action.${action}` as 'authority.action.read', { defaultValue: action });
  return (
    <>
      <Text size="sm" mb="xs">
        {t('authority.matrix.hint')}
      </Text>
      <section
        className={classes.matrix}
        aria-label={t('authority.matrix.title')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable
        tabIndex={0}
      >
        <table className="cs-table">
          <thead>
            <tr>
              <th>{t('authority.matrix.action')}</th>
              {roles.map((role) => (
                <th key={role.name} scope="col">
                  {roleName(role)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {terms.map((term) => (
              <tr key={term.action}>
                <th scope="row">{actionName(term.action)}</th>
                {roles.map((role) => {
                  const state = stateOf(rules, role.name, term);
                  return (
                    <td key={role.name}>
                      <Button
                        variant={state === 'none' ? 'subtle' : 'default'}
                        size="compact-sm"
                        data-state={state}
                        aria-label={t('authority.matrix.cell', {
                          action: actionName(term.action),
                          role: roleName(role),
                          state: t(`authority.matrix.state.${state}`),
                        })}
                        onClick={() => setCell({ role, term })}
                      >
                        {signs[state]}
                      </Button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {cell && (
        <Modal
          opened
          onClose={() => setCell(null)}
          closeButtonProps={{ 'aria-label': t('authority.matrix.close') }}
          title={t('authority.matrix.cellTitle', {
            action: actionName(cell.term.action),
            role: roleName(cell.role),
          })}
        >
          <Stack gap="sm">
            {cell.term.objects.map((object) => (
              <ObjectChoice
                key={object}
                rules={rules}
                cell={{ role: cell.role.name, action: cell.term.action, object }}
                onChoose={(choice) =>
                  onChange(
                    withChoice(
                      text,
                      { role: cell.role.name, action: cell.term.action, object },
                      choice,
                    ),
                  )
                }
              />
            ))}
            <Group>
              <Button onClick={() => setCell(null)}>{t('authority.matrix.close')}</Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  );
}

const no = 'no';
const when = 'if ';

interface ObjectChoiceProps {
  rules: readonly PolicyRule[];
  cell: { role: string; action: string; object: string };
  onChoose: (choice: string | null) => void;
}

/** The choice of one object: not allowed, allowed, or allowed under a condition of the policy. */
function ObjectChoice({ rules, cell, onChoose }: ObjectChoiceProps) {
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
  // A rule about the whole installation cannot have a condition.
  const conditions = cell.object === 'house' ? [] : conditionsOf(rules);
  return (
    <NativeSelect
      label={label}
      value={present.choice === null ? no : when + present.choice}
      onChange={({ currentTarget: { value } }) =>
        onChoose(value === no ? null : value.slice(when.length))
      }
      data={[
        { value: no, label: t('authority.matrix.no') },
        { value: when, label: t('authority.matrix.yes') },
        ...conditions.map((condition) => ({
          value: when + condition,
          label: t('authority.matrix.when', {
            condition: conditionWords(t, i18n.language, condition),
          }),
        })),
      ]}
    />
  );
}
