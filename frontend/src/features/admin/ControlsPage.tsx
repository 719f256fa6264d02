// Country risks, exchange rates and sample shares, and the changes that wait for a second person.
import { Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { ControlDataQuery } from '../../graphql/generated/graphql';
import { countToPublish } from '../../graphql/to-publish';
import { OpenProposals } from '../../graphql/to-publish.graphql';
import { countryText } from '../../lib/countries';
import { hasRole, usePerson } from '../../lib/session';
import { useHeld } from '../../lib/use-held';
import type { ProposedEffectProps } from '../../ui/proposed-effect';
import { DoneNotice, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import { ControlChangeItem, type PasswordLink } from './ControlChangeItem';
import { CountryForm, RateForm } from './ControlForms';
import { ControlData } from './controls.graphql';
import { DrawMarks } from './DrawMarks';
import { GroupMappings } from './GroupMappings';
import { OperatorRequests } from './OperatorRequests';
import { Retention } from './Retention';
import { SampleShares } from './SampleShares';
import { SignInLinkDialog } from './SignInLinkDialog';

export function ControlsPage({ Effect }: { Effect: ComponentType<ProposedEffectProps> }) {
  const { t } = useTranslation();
  const administers = hasRole(usePerson(), 'administrator');
  const [notice, setNotice] = useState<string | null>(null);
  const [link, setLink] = useState<PasswordLink | null>(null);
  const [{ data, error }, refetch] = useQuery({
    query: ControlData,
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  useOnProposals(reload);
  const changed = (message: string) => {
    setNotice(message);
    reload();
  };
  const open = useHeld(data?.open.nodes ?? []);
  const closed = data?.recent.nodes.filter((one) => one.status !== 'PROPOSED') ?? [];
  return (
    <>
      <PageHeader
        title={t('titles.controls')}
        actions={
          <>
            <Link to="/admin/conflicts">{t('admin.conflicts.all')}</Link>
            <Link to="/admin/memory">{t('admin.memory.open')}</Link>
            <Link to="/admin/connectors">{t('connectors.open')}</Link>
          </>
        }
      >
        {t('admin.controls.intro')}
      </PageHeader>
      <DoneNotice message={notice} mb={12} />
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !data && <LoadingState lines={8} />}
      {data && (
        <>
          <OperatorRequests
            requests={data.operatorRequests}
            me={data.viewer?.person.id ?? null}
            administers={administers}
            onChanged={changed}
          />
          <Title order={2} size="h4" mb="xs">
            {t('admin.controls.open')}
          </Title>
          {open.rows.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('admin.controls.noneOpen')}
            </Text>
          )}
          <ChangeList label={t('admin.controls.open')} shown={open.rows.length > 0}>
            {open.rows.map((one) => (
              <ControlChangeItem
                key={one.id}
                change={one}
                me={data.viewer?.person.id ?? null}
                processes={data.processDefinitions.nodes}
                administers={administers}
                onHold={open.hold}
                Effect={Effect}
                onChanged={changed}
                onLink={setLink}
              />
            ))}
          </ChangeList>
          <Title order={2} size="h4" mt="lg" mb="xs">
            {t('admin.controls.countries')}
          </Title>
          {administers && (
            <CountryForm risks={data.countryRisks} onChanged={changed} onStale={reload} />
          )}
          <CountryList risks={data.countryRisks} />
          <Title order={2} size="h4" mt="lg" mb="xs">
            {t('admin.controls.rates')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('admin.controls.ratesText', { percent: data.exchangeRates.percent })}
          </Text>
          {administers && (
            <RateForm rates={data.exchangeRates} onChanged={changed} onStale={reload} />
          )}
          <RateList rates={data.exchangeRates} />
          <DrawMarks
            marks={data.drawMarks}
            processes={data.processDefinitions.nodes}
            administers={administers}
            onChanged={changed}
          />
          <Title order={2} size="h4" mt="lg" mb="xs">
            {t('admin.controls.shares')}
          </Title>
          <Text size="sm" c="dimmed" mb="xs">
            {t('admin.controls.sharesText')} <Link to="/quality">{t('titles.quality')}</Link>
          </Text>
          <SampleShares
            shares={data.sampleShares}
            processes={data.processDefinitions.nodes}
            administers={administers}
            onChanged={changed}
          />
          {administers && <GroupMappings decided={closed[0]?.id} onChanged={changed} />}
          <Retention
            periods={data.retentionPeriods}
            types={data.documentTypes.nodes}
            administers={administers}
            onChanged={changed}
            onStale={reload}
          />
          <Title order={2} size="h4" mt="lg" mb="xs">
            {t('admin.controls.recent')}
          </Title>
          <ChangeList label={t('admin.controls.recent')} shown={closed.length > 0}>
            {closed.map((one) => (
              <ControlChangeItem
                key={one.id}
                change={one}
                me={data.viewer?.person.id ?? null}
                processes={data.processDefinitions.nodes}
                administers={false}
                Effect={Effect}
                onChanged={changed}
                onLink={setLink}
              />
            ))}
          </ChangeList>
        </>
      )}
      {link && <SignInLinkDialog {...link} onClose={() => setLink(null)} />}
    </>
  );
}

function ChangeList({
  label,
  shown,
  children,
}: {
  label: string;
  shown: boolean;
  children: React.ReactNode;
}) {
  if (!shown) return null;
  return (
    <ul className={`cs-card ${classes.list}`} aria-label={label}>
      {children}
    </ul>
  );
}

function CountryList({ risks }: { risks: ControlDataQuery['countryRisks'] }) {
  const { t, i18n } = useTranslation();
  return (
    <ChangeList label={t('admin.controls.countries')} shown={risks.length > 0}>
      {risks.map((risk) => (
        <li key={risk.country} className={classes.item}>
          <div className={classes.long}>
            <Text size="sm">
              <b>{countryText(risk.country, i18n.language)}</b> ·{' '}
              {t(`admin.controls.level.${risk.level}`)}
            </Text>
            {risk.reason !== '' && <Text size="sm">{risk.reason}</Text>}
            {risk.changedBy && (
              <Text size="xs" c="dimmed">
                <PersonName person={risk.changedBy} /> ·{' '}
                <Timestamp iso={risk.changedAt} as="moment" />
              </Text>
            )}
          </div>
        </li>
      ))}
    </ChangeList>
  );
}

function RateList({ rates }: { rates: ControlDataQuery['exchangeRates'] }) {
  const { t } = useTranslation();
  return (
    <ChangeList label={t('admin.controls.rates')} shown={rates.rates.length > 0}>
      {rates.rates.map((rate) => (
        <li key={rate.currency} className={classes.item}>
          <div className={classes.long}>
            <Text size="sm">
              1 {rate.currency} = <b>{rate.rate}</b> {rates.baseCurrency}
            </Text>
            {rate.reason !== '' && <Text size="sm">{rate.reason}</Text>}
            {rate.setBy && (
              <Text size="xs" c="dimmed">
                <PersonName person={rate.setBy} />
                {rate.since && (
                  <>
                    {' '}
                    · <Timestamp iso={rate.since} as="moment" />
                  </>
                )}
              </Text>
            )}
          </div>
        </li>
      ))}
    </ChangeList>
  );
}

/** Calls the function when the number of proposals that wait for the user has changed, as the menu shows it. */
function useOnProposals(call: () => void): void {
  const [{ data }] = useQuery({ query: OpenProposals, requestPolicy: 'cache-only' });
  const person = usePerson();
  const waiting = data && person ? (countToPublish(data, person.id).get('CONTROL') ?? 0) : null;
  const known = useRef(waiting);
  useEffect(() => {
    if (known.current !== null && waiting !== known.current) call();
    known.current = waiting;
  });
}
