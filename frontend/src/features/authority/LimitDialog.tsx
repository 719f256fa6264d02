// Sets the amount up to which a role decides. A lower limit takes effect immediately, a higher one waits for
// another administrator.
import { NativeSelect, Text, TextInput } from '@mantine/core';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { documentTypeLabels } from '../../lib/labels';
import { baseCurrency, isPlainAmount } from '../../lib/money';
import type { ChangeRehearsalProps } from '../../ui/change-rehearsal';
import { FormDialog } from '../../ui/FormDialog';
import { MoneyText } from '../../ui/values';
import { SetLimit } from './authority.graphql';
import type { Limit } from './permissions';

type Kind = 'amount' | 'unlimited' | 'drop';

interface LimitDialogProps {
  role: string;
  types: readonly string[];
  /** The present limits of the role. */
  limits: readonly Limit[];
  ChangeRehearsal: ComponentType<ChangeRehearsalProps>;
  onDone: (message: string) => void;
  /** Another person has changed a limit: the page reads them. */
  onStale: () => void;
  onClose: () => void;
}

export function LimitDialog(props: LimitDialogProps) {
  const { role, types, limits, ChangeRehearsal, onDone, onStale, onClose } = props;
  const { t } = useTranslation();
  const [type, setType] = useState('');
  const [kind, setKind] = useState<Kind>('amount');
  const [amount, setAmount] = useState('');
  const command = useCommand(SetLimit, (data) => data.setLimit);
  const disabledReason =
    kind === 'amount' && !isPlainAmount(amount) ? t('authority.limit.amountFirst') : null;
  const limit = {
    role,
    documentType: type || null,
    amount: kind === 'amount' ? { amount: amount.trim(), currency: baseCurrency } : null,
    unlimited: kind === 'unlimited',
    drop: kind === 'drop',
  };
  const present = limits.find(({ documentType }) => documentType === type);
  const expected = present
    ? { amount: present.amount ?? null, unlimited: !present.amount }
    : { amount: null, unlimited: false };
  const stale = command.refusals.some(({ code }) => code === 'StaleVersion');
  const latest = useRef(onStale);
  latest.current = onStale;
  useEffect(() => {
    if (stale) latest.current();
  }, [stale]);
  const send = async () => {
    const payload = await command.run({ ...limit, expected });
    if (payload)
      onDone(t(payload.proposal ? 'authority.limit.waits' : 'authority.limit.done', { role }));
  };
  return (
    <FormDialog
      title={t('authority.limit.setOf', { role })}
      disabledReason={disabledReason}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      confirmLabel={t('authority.limit.confirm')}
      onSend={() => void send()}
      onClose={onClose}
      below={
        <ChangeRehearsal
          change={disabledReason ? null : { limit }}
          disabledReason={disabledReason}
        />
      }
    >
      <Text size="sm">{t('authority.limit.text')}</Text>
      <NativeSelect
        label={t('authority.limit.type')}
        value={type}
        onChange={(event) => setType(event.currentTarget.value)}
        data={[
          { value: '', label: t('authority.limit.everyType') },
          ...types.map((one) => ({ value: one, label: documentTypeLabels(t, [one]) })),
        ]}
      />
      <Text size="sm">
        {t('authority.limit.present')} {!present && t('authority.noLimit')}
        {present &&
          (present.amount ? <MoneyText money={present.amount} /> : t('authority.unlimited'))}
      </Text>
      <NativeSelect
        label={t('authority.limit.kind')}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as Kind)}
        data={(['amount', 'unlimited', 'drop'] as const).map((one) => ({
          value: one,
          label: t(`authority.limit.kinds.${one}`),
        }))}
      />
      {kind === 'amount' && (
        <TextInput
          data-autofocus
          required
          inputMode="decimal"
          maxLength={20}
          label={t('authority.limit.amount', { currency: baseCurrency })}
          value={amount}
          onChange={(event) => setAmount(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  );
}
