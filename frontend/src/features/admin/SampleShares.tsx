// The shares of archived cases that are drawn for the quality sample, and the form to propose
// another one. Every change needs a second administrator.
import { Group, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ProposeSampleShareInput } from '../../graphql/generated/bounds';
import type { ControlDataQuery, QualityStratum } from '../../graphql/generated/graphql';
import { processTitle } from '../../lib/sample-shares';
import { ButtonWithReason } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import { ProposeSampleShare } from './controls.graphql';

type Share = ControlDataQuery['sampleShares'][number];

interface SampleSharesProps {
  shares: readonly Share[];
  processes: ControlDataQuery['processDefinitions']['nodes'];
  administers: boolean;
  onChanged: (message: string) => void;
}

const strata: readonly QualityStratum[] = ['STRAIGHT', 'APPROVED'];

export function SampleShares({ shares, processes, administers, onChanged }: SampleSharesProps) {
  const { t, i18n } = useTranslation();
  const title = (key: string) => processTitle(processes, i18n.language, key);
  return (
    <>
      {administers && <ShareForm shares={shares} title={title} onChanged={onChanged} />}
      <ul className={`cs-card ${classes.list}`} aria-label={t('admin.controls.shares')}>
        {shares.map((share) => (
          <li key={`${share.process} ${share.stratum}`} className={classes.item}>
            <div className={classes.long}>
              <Text size="sm">
                {title(share.process)} · {t(`quality.strata.${share.stratum}`)} ·{' '}
                <b>{`${share.percent}\u00a0%`}</b>
              </Text>
              {share.reason !== '' && <Text size="sm">{share.reason}</Text>}
              <Text size="xs" c="dimmed">
                {share.isDefault ? (
                  t('admin.controls.defaultShare')
                ) : (
                  <>
                    {t('admin.controls.proposedBy')}{' '}
                    <PersonName person={share.proposedBy ?? null} /> ·{' '}
                    {t('admin.controls.confirmedBy')}{' '}
                    <PersonName person={share.confirmedBy ?? null} />
                    {share.since && (
                      <>
                        {' '}
                        · <Timestamp iso={share.since} as="moment" />
                      </>
                    )}
                  </>
                )}
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function ShareForm({
  shares,
  title,
  onChanged,
}: {
  shares: readonly Share[];
  title: (key: string) => string;
  onChanged: (message: string) => void;
}) {
  const { t } = useTranslation();
  const keys = [...new Set(shares.map(({ process }) => process))];
  const [process, setProcess] = useState(keys[0] ?? '');
  const [stratum, setStratum] = useState<QualityStratum>('STRAIGHT');
  const [percent, setPercent] = useState('');
  const [reason, setReason] = useState('');
  const command = useCommand(ProposeSampleShare, (data) => data.proposeSampleShare);
  const present = shares.find((one) => one.process === process && one.stratum === stratum);
  const name = `${title(process)}, ${t(`quality.strata.${stratum}`)}`;
  const send = async () => {
    const share = percent.trim().replace(',', '.').replace(/ *%$/, '');
    const payload = await command.run({ process, stratum, percent: share, reason });
    if (!payload) return;
    setPercent('');
    setReason('');
    const proposed = payload.results[0]?.proposal;
    onChanged(
      t(proposed ? 'admin.controls.shareProposed' : 'admin.controls.shareUnchanged', { key: name }),
    );
  };
  return (
    <>
      <Group gap="sm" mb="sm" align="flex-end">
        <Select
          label={t('admin.controls.shareProcess')}
          data={keys.map((value) => ({ value, label: title(value) }))}
          value={process}
          allowDeselect={false}
          onChange={(value) => value && setProcess(value)}
        />
        <Select
          label={t('admin.controls.shareStratum')}
          data={strata.map((value) => ({ value, label: t(`quality.strata.${value}`) }))}
          value={stratum}
          allowDeselect={false}
          onChange={(value) => value && setStratum(value as QualityStratum)}
        />
        <TextInput
          label={t('admin.controls.sharePercent')}
          inputMode="decimal"
          maxLength={ProposeSampleShareInput.percent}
          placeholder={present?.percent}
          value={percent}
          onChange={(event) => setPercent(event.currentTarget.value)}
        />
        <TextInput
          label={t('admin.controls.shareReason')}
          maxLength={ProposeSampleShareInput.reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <ButtonWithReason
          disabledReason={
            percent.trim() === '' || reason.trim() === '' ? t('admin.controls.shareFirst') : null
          }
          loading={command.busy}
          onClick={() => void send()}
        >
          {t('admin.controls.proposeShare')}
        </ButtonWithReason>
      </Group>
      <RefusalAlert refusals={command.refusals} error={command.error} />
    </>
  );
}
