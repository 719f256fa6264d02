// Forms to set the risk of a country and the rate of a currency.
import { Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import {
  CountryRiskInput,
  ExchangeRateInput,
  SetCountryRisksInput,
  SetExchangeRatesInput,
} from '../../graphql/generated/bounds';
import type {
  ControlDataQuery,
  ControlOutcomeFragment,
  CountryRiskLevel,
} from '../../graphql/generated/graphql';
import { useStale } from '../../lib/use-stale';
import { ButtonWithReason } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { SetCountryRisks, SetExchangeRates } from './controls.graphql';

const levels: readonly CountryRiskLevel[] = ['HIGH', 'ELEVATED', 'NONE'];

interface FormProps {
  onChanged: (message: string) => void;
  /** Another person has changed a value: the page reads all of them. */
  onStale: () => void;
}

/** The message about the outcome of a change of one value. */
export function useOutcome() {
  const { t } = useTranslation();
  return (payload: ControlOutcomeFragment) => {
    const [result] = payload.results;
    if (!result) return '';
    if (result.applied) return t('admin.controls.applied', { key: result.key });
    return result.proposal
      ? t('admin.controls.proposed', { key: result.key })
      : t('admin.controls.unchanged', { key: result.key });
  };
}

export function CountryForm({
  risks,
  onChanged,
  onStale,
}: FormProps & { risks: ControlDataQuery['countryRisks'] }) {
  const { t } = useTranslation();
  const outcome = useOutcome();
  const [country, setCountry] = useState('');
  const [level, setLevel] = useState<CountryRiskLevel>('HIGH');
  const [reason, setReason] = useState('');
  const command = useCommand(SetCountryRisks, (data) => data.setCountryRisks);
  useStale(command.refusals, onStale);
  const send = async () => {
    const code = country.trim().toUpperCase();
    const expectedLevel = risks.find((one) => one.country === code)?.level ?? 'NONE';
    const countries = [{ country: code, level, expectedLevel }];
    const payload = await command.run({ countries, reason });
    if (!payload) return;
    setCountry('');
    setReason('');
    onChanged(outcome(payload));
  };
  return (
    <>
      <Group gap="sm" mb="sm" align="flex-end">
        <TextInput
          label={t('admin.controls.country')}
          maxLength={CountryRiskInput.country}
          value={country}
          onChange={(event) => setCountry(event.currentTarget.value)}
        />
        <Select
          label={t('admin.controls.risk')}
          data={levels.map((value) => ({ value, label: t(`admin.controls.level.${value}`) }))}
          value={level}
          allowDeselect={false}
          onChange={(value) => value && setLevel(value as CountryRiskLevel)}
        />
        <TextInput
          label={t('admin.controls.countryReason')}
          maxLength={SetCountryRisksInput.reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <ButtonWithReason
          disabledReason={
            country.trim().length !== 2 || reason.trim() === ''
              ? t('admin.controls.countryFirst')
              : null
          }
          loading={command.busy}
          onClick={() => void send()}
        >
          {t('admin.controls.setRisk')}
        </ButtonWithReason>
      </Group>
      <RefusalAlert refusals={command.refusals} error={command.error} />
    </>
  );
}

export function RateForm({
  rates,
  onChanged,
  onStale,
}: FormProps & { rates: ControlDataQuery['exchangeRates'] }) {
  const { t } = useTranslation();
  const outcome = useOutcome();
  const [currency, setCurrency] = useState('');
  const [rate, setRate] = useState('');
  const [reason, setReason] = useState('');
  const command = useCommand(SetExchangeRates, (data) => data.setExchangeRates);
  useStale(command.refusals, onStale);
  const send = async () => {
    const code = currency.trim().toUpperCase();
    const expectedRate = rates.rates.find((one) => one.currency === code)?.rate ?? '';
    const wanted = [{ currency: code, rate: rate.trim(), expectedRate }];
    const payload = await command.run({ rates: wanted, reason });
    if (!payload) return;
    setCurrency('');
    setRate('');
    setReason('');
    onChanged(outcome(payload));
  };
  return (
    <>
      <Group gap="sm" mb="sm" align="flex-end">
        <TextInput
          label={t('admin.controls.currency')}
          maxLength={ExchangeRateInput.currency}
          value={currency}
          onChange={(event) => setCurrency(event.currentTarget.value)}
        />
        <TextInput
          label={t('admin.controls.rate')}
          inputMode="decimal"
          maxLength={ExchangeRateInput.rate}
          value={rate}
          onChange={(event) => setRate(event.currentTarget.value)}
        />
        <TextInput
          label={t('admin.controls.rateReason')}
          maxLength={SetExchangeRatesInput.reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <ButtonWithReason
          disabledReason={
            currency.trim() === '' || rate.trim() === '' || reason.trim() === ''
              ? t('admin.controls.rateFirst')
              : null
          }
          loading={command.busy}
          onClick={() => void send()}
        >
          {t('admin.controls.setRate')}
        </ButtonWithReason>
      </Group>
      <RefusalAlert refusals={command.refusals} error={command.error} />
    </>
  );
}
