// What a receiver has, compared with what was delivered to it: at night, and when a person asks.
import { Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useCommand } from '../../graphql/command';
import type { ComparedFragment, ConnectorLineFragment } from '../../graphql/generated/graphql';
import { sendThroughLoss } from '../../graphql/resend';
import { RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import { ReconcileConnector, ReplayConnector } from './connectors.graphql';

const week = 7 * 24 * 3600 * 1000;

/** Compares the last 7 days when asked. */
export function useComparison(connectorId: string) {
  const [{ data, error, fetching }, compare] = useMutation(ReconcileConnector);
  return {
    busy: fetching,
    found: data?.reconcileConnector.reconciliation ?? null,
    refusals: data?.reconcileConnector.userErrors ?? null,
    error,
    run: () => {
      const now = Date.now();
      const period = {
        from: new Date(now - week).toISOString(),
        to: new Date(now).toISOString(),
      };
      return sendThroughLoss(() => compare({ input: { connectorId, ...period } }));
    },
  };
}

interface ComparisonProps {
  connector: ConnectorLineFragment;
  administers: boolean;
  onChanged: (message: string) => void;
}

/** The last comparison at night. */
export function NightlyComparison(props: ComparisonProps) {
  const { t } = useTranslation();
  const { nightly } = props.connector;
  if (!nightly) return null;
  return (
    <>
      <Text size="sm" className={classes.long}>
        {t('connectors.compare.nightly')}{' '}
        {t(`connectors.compare.${nightly.outcome}`, { error: nightly.error })}{' '}
        <Timestamp iso={nightly.endedAt} as="moment" />
      </Text>
      {nightly.result && nightly.outcome === 'DIFFERS' && (
        <Differences {...props} found={nightly.result} />
      )}
    </>
  );
}

/** The events that one side lacks, with a way to deliver them again. */
export function Differences({
  connector,
  found,
  administers,
  onChanged,
}: ComparisonProps & { found: ComparedFragment }) {
  const { t, i18n } = useTranslation();
  const replay = useCommand(ReplayConnector, (data) => data.replayConnector);
  const moment = new Intl.DateTimeFormat(i18n.language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  const from = moment.format(new Date(found.from));
  const again = async () => {
    if (await replay.run({ connectorId: connector.id, from: found.from }))
      onChanged(t('connectors.compare.replayed', { name: connector.name, from }));
  };
  const equal = found.missingCount + found.unknownCount === 0;
  return (
    <div role="status" className={classes.comparison}>
      <Text size="sm">
        {t(equal ? 'connectors.compare.EQUAL' : 'connectors.compare.DIFFERS')}{' '}
        {t('connectors.compare.compared', {
          number: found.compared,
          from,
          to: moment.format(new Date(found.to)),
        })}
      </Text>
      <EventIds kind="missing" ids={found.missing} count={found.missingCount} />
      {found.missingCount > 0 && administers && (
        <Button
          variant="default"
          size="compact-sm"
          loading={replay.busy}
          onClick={() => void again()}
        >
          {t('connectors.compare.replay')}
        </Button>
      )}
      <EventIds kind="unknown" ids={found.unknown} count={found.unknownCount} />
      <RefusalAlert refusals={replay.refusals} error={replay.error} />
    </div>
  );
}

interface EventIdsProps {
  kind: 'missing' | 'unknown';
  ids: string[];
  count: number;
}

function EventIds({ kind, ids, count }: EventIdsProps) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <>
      <Text size="sm">{t(`connectors.compare.${kind}`, { count })}</Text>
      <ul className={classes.list}>
        {ids.slice(0, shown).map((id) => (
          <li key={id}>
            <Text size="xs" component="code" className={classes.long}>
              {id}
            </Text>
          </li>
        ))}
      </ul>
      {count > shown && (
        <Text size="xs" c="dimmed">
          {t('connectors.compare.first', { number: shown })}
        </Text>
      )}
    </>
  );
}

// Further ids are in the API and on the command line.
const shown = 10;
