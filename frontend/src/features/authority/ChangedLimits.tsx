// The limits that a text of the policy changes. One that only becomes lower can be set without the proposal.
import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import type { AuthorityQuery } from '../../graphql/generated/graphql';
import { documentTypeLabels } from '../../lib/labels';
import { baseCurrency } from '../../lib/money';
import { useStale } from '../../lib/use-stale';
import { RefusalAlert } from '../../ui/states';
import { SetLimit } from './authority.graphql';
import classes from './authority.module.css';
import { Bound } from './Bound';
import { useCellWords } from './cell-words';
import { limitForm, presentLimit } from './limit-text';
import { type LimitChange, limitsOf, withLimit } from './policy-text';
import type { Preview } from './use-policy-preview';

interface ChangedLimitsProps {
  text: string;
  limits: AuthorityQuery['limits'];
  roles: AuthorityQuery['roles'];
  preview: Preview | null;
  onChange: (text: string) => void;
  onLowered: (message: string) => void;
  /** Another person has changed a limit: the page reads them. */
  onStale: () => void;
}

export function ChangedLimits(props: ChangedLimitsProps) {
  const { text, limits, roles, preview, onChange, onLowered, onStale } = props;
  const { t } = useTranslation();
  const words = useCellWords();
  const command = useCommand(SetLimit, (data) => data.setLimit);
  useStale(command.refusals, onStale);
  const changes = limitsOf(text);
  if (changes.length === 0) return null;
  const withoutChange = (change: LimitChange) =>
    onChange(withLimit(text, { ...change, after: change.before }));
  const nameOf = (role: string) =>
    words.role(roles.find(({ name }) => name === role) ?? { name: role, builtIn: false });
  const lowerNow = async (change: LimitChange) => {
    const [form, present] = [limitForm(change.after), limitForm(change.before)];
    const money = ({ kind, amount }: typeof form) =>
      kind === 'amount' ? { amount, currency: baseCurrency } : null;
    const payload = await command.run({
      role: change.role,
      documentType: change.documentType || null,
      amount: money(form),
      unlimited: form.kind === 'unlimited',
      drop: form.kind === 'none',
      expected: { amount: money(present), unlimited: present.kind === 'unlimited' },
    });
    if (!payload) return;
    withoutChange(change);
    onLowered(
      t(payload.proposal ? 'authority.limit.waits' : 'authority.limit.done', {
        role: nameOf(change.role),
      }),
    );
  };
  return (
    <div className={classes.limits}>
      <Text size="sm" fw={600} id="changed-limits">
        {t('authority.limit.changed')}
      </Text>
      <ul className={classes.list} aria-labelledby="changed-limits">
        {changes.map((change) => {
          const known = preview?.limits.find(
            (one) => one.role === change.role && one.documentType === change.documentType,
          );
          const subject = `${nameOf(change.role)}, ${
            change.documentType === ''
              ? t('authority.limit.everyType')
              : documentTypeLabels(t, [change.documentType])
          }`;
          const now = presentLimit(limits, change.role, change.documentType);
          return (
            <li key={`${change.role} ${change.documentType}`}>
              <Group gap="xs">
                <Text size="sm">
                  {subject}:{' '}
                  {known ? (
                    <>
                      <Bound bound={known.before} /> → <Bound bound={known.after} />
                    </>
                  ) : (
                    `${change.before} → ${change.after}`
                  )}
                </Text>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  aria-label={t('authority.limit.keepOf', { subject })}
                  onClick={() => withoutChange(change)}
                >
                  {t('authority.limit.keep')}
                </Button>
                {now !== change.before && (
                  <Button
                    variant="default"
                    size="compact-xs"
                    aria-label={t('authority.limit.rebaseOf', { subject, limit: now })}
                    onClick={() => onChange(withLimit(text, { ...change, before: now }))}
                  >
                    {t('authority.limit.rebase', { limit: now })}
                  </Button>
                )}
                {known?.lowers && now === change.before && (
                  <Button
                    variant="default"
                    size="compact-xs"
                    disabled={command.busy}
                    aria-label={t('authority.limit.lowerOf', { subject })}
                    onClick={() => void lowerNow(change)}
                  >
                    {t('authority.limit.lower')}
                  </Button>
                )}
              </Group>
            </li>
          );
        })}
      </ul>
      <RefusalAlert refusals={command.refusals} error={command.error} />
    </div>
  );
}
