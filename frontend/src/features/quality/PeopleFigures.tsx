// What people did: submitters with their reviewers, checkers, and changes of the share.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { QualityRecordsQuery } from '../../graphql/generated/graphql';
import { processTitle } from '../../lib/sample-shares';
import { PersonName, Timestamp } from '../../ui/values';
import { FigureTable } from './FigureTable';
import { durationText, percentText } from './figures';

type Figures = QualityRecordsQuery['qualityFigures'];

export function Pairs({ pairs }: { pairs: Figures['pairs'] }) {
  const { t, i18n } = useTranslation();
  if (pairs.length === 0) return null;
  return (
    <FigureTable
      title={t('quality.pairs')}
      heads={[
        t('quality.submitter'),
        t('quality.reviewer'),
        { number: t('quality.documents') },
        { number: t('quality.pairShare') },
        { number: t('quality.time') },
        { number: t('quality.nearMark') },
      ]}
    >
      {pairs.map((pair) => (
        <tr key={`${pair.submitter?.id} ${pair.reviewer?.id}`}>
          <td>
            <PersonName person={pair.submitter ?? null} />
          </td>
          <td>
            <PersonName person={pair.reviewer ?? null} />
          </td>
          <td data-number>{pair.documents}</td>
          <td data-number>{percentText(pair.share, i18n.language)}</td>
          <td data-number>{durationText(pair.seconds, i18n.language)}</td>
          <td data-number>{percentText(pair.nearMark, i18n.language)}</td>
        </tr>
      ))}
    </FigureTable>
  );
}

export function Checkers({ checkers }: { checkers: Figures['checkers'] }) {
  const { t, i18n } = useTranslation();
  if (checkers.length === 0) return null;
  return (
    <FigureTable
      title={t('quality.people')}
      heads={[
        t('quality.person'),
        { number: t('quality.checkedBy') },
        { number: t('quality.disagreed') },
        { number: t('quality.settled') },
        { number: t('quality.settledRightly') },
        { number: t('quality.releasedCount') },
        { number: t('quality.expired') },
        { number: t('quality.checkTime') },
      ]}
    >
      {checkers.map((one, at) => (
        <tr key={one.person?.id ?? at}>
          <td>
            <PersonName person={one.person ?? null} />
          </td>
          <td data-number>{one.checked}</td>
          <td data-number>{one.disagreed}</td>
          <td data-number>{one.settled}</td>
          <td data-number>{one.confirmed}</td>
          <td data-number>{one.released}</td>
          <td data-number>{one.expired}</td>
          <td data-number>
            {one.checked + one.settled > 0
              ? durationText(one.seconds, i18n.language)
              : t('quality.none')}
          </td>
        </tr>
      ))}
    </FigureTable>
  );
}

export function ShareChanges({
  shares,
  processes,
}: {
  shares: Figures['shares'];
  processes: QualityRecordsQuery['processDefinitions']['nodes'];
}) {
  const { t, i18n } = useTranslation();
  if (shares.length === 0) {
    return (
      <Text size="sm" c="dimmed" mt="md">
        {t('quality.noShares')}
      </Text>
    );
  }
  return (
    <FigureTable
      title={t('quality.shares')}
      heads={[
        t('quality.process'),
        t('quality.stratum'),
        { number: t('quality.share') },
        t('quality.since'),
        t('quality.proposedBy'),
        t('quality.confirmedBy'),
        t('quality.reason'),
      ]}
    >
      {shares.map((share) => (
        <tr key={`${share.process} ${share.stratum} ${share.since}`}>
          <td>{processTitle(processes, i18n.language, share.process)}</td>
          <td>{t(`quality.strata.${share.stratum}`)}</td>
          <td data-number>{`${share.percent}\u00a0%`}</td>
          <td>{share.since && <Timestamp iso={share.since} as="moment" />}</td>
          <td>
            <PersonName person={share.proposedBy ?? null} />
          </td>
          <td>
            <PersonName person={share.confirmedBy ?? null} />
          </td>
          <td>{share.reason}</td>
        </tr>
      ))}
    </FigureTable>
  );
}
