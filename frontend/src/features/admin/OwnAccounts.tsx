// The user's own bank accounts, because no one may review a payment to themselves.
import { Button, Group, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { OwnAccountInput } from '../../graphql/generated/bounds';
import { ButtonWithReason } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import classes from './admin.module.css';
import { DeclareOwnAccount } from './people.graphql';

export function OwnAccounts({
  accounts,
  onChange,
}: {
  accounts: readonly string[];
  onChange: () => void;
}) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState(false);
  const [account, setAccount] = useState('');
  const command = useCommand(DeclareOwnAccount, (data) => data.declareOwnAccount);
  const send = async () => {
    if (account.trim() === '' || !(await command.run({ account: account.trim() }))) return;
    setAccount('');
    setAdding(false);
    onChange();
  };
  return (
    <section className="cs-card" aria-labelledby="own-accounts">
      <Title order={2} id="own-accounts">
        {t('admin.accounts.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('admin.accounts.intro')}
      </Text>
      {accounts.length === 0 ? (
        <Text size="sm" my="xs">
          {t('admin.accounts.none')}
        </Text>
      ) : (
        <ul className={classes.list} aria-labelledby="own-accounts">
          {accounts.map((account) => (
            <li key={account} className={classes.item}>
              <span className="cs-mono">{account}</span>
            </li>
          ))}
        </ul>
      )}
      {adding ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <Group align="flex-end" gap="sm" mb="xs">
            <TextInput
              autoFocus
              required
              maxLength={OwnAccountInput.account}
              label={t('admin.accounts.iban')}
              style={{ flex: '1 1 14rem' }}
              value={account}
              onChange={(event) => setAccount(event.currentTarget.value)}
            />
            <ButtonWithReason
              disabledReason={account.trim() === '' ? t('admin.accounts.ibanFirst') : null}
              loading={command.busy}
              onClick={() => void send()}
            >
              {t('admin.accounts.confirm')}
            </ButtonWithReason>
          </Group>
          <RefusalAlert refusals={command.refusals} error={command.error} />
        </form>
      ) : (
        <Button variant="default" size="sm" onClick={() => setAdding(true)}>
          {t('admin.accounts.add')}
        </Button>
      )}
    </section>
  );
}
