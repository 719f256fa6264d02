// The figures of the quality sample, and its latest samples.
import { Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { QualityRecordsQuery } from '../../graphql/generated/graphql';
import { fieldLabel } from '../../lib/labels';
import { ErrorState, LoadingState } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import { FigureTable } from './FigureTable';
import { percentText } from './figures';
import { Checkers, Pairs, ShareChanges } from './PeopleFigures';
import { QualityRecords } from './quality.graphql';
import classes from './quality.module.css';

type Figures = QualityRecordsQuery['qualityFigures'];
type Stratum = Figures['strata'][number];

export function QualityRecordsSection() {
  const { t, i18n } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: QualityRecords,
    requestPolicy: 'cache-and-network',
  });
  if (error && !data) {
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  }
  if (!data) return <LoadingState lines={8} />;
  const figures = data.qualityFigures;
  return (
    <>
      <Title order={2} size="h4" mb="xs">
        {t('quality.figures')}
      </Title>
      <Text size="sm" mb="xs">
        {figures.straightThrough == null
          ? t('quality.noCases')
          : t('quality.straightThrough', {
              share: percentText(figures.straightThrough, i18n.language),
            })}
      </Text>
      <Strata figures={figures} />
      <Samples samples={data.qualitySamples.nodes} />
      <Groups groups={figures.groups} />
      <Checkers checkers={figures.checkers} />
      <Pairs pairs={figures.pairs} />
      <ShareChanges shares={figures.shares} processes={data.processDefinitions.nodes} />
    </>
  );
}

function Strata({ figures }: { figures: Figures }) {
  const { t, i18n } = useTranslation();
  const percent = (share: number) => percentText(share, i18n.language);
  return (
    <>
      <FigureTable
        title={t('quality.errors')}
        heads={[
          t('quality.stratum'),
          { number: t('quality.archivedCount') },
          { number: t('quality.drawnCount') },
          { number: t('quality.openCount') },
          { number: t('quality.samples') },
          { number: t('quality.wrong') },
          { number: t('quality.rate') },
          { number: t('quality.bound') },
          { number: t('quality.worst') },
        ]}
      >
        {figures.strata.map((one) => (
          <tr key={one.stratum}>
            <td>{t(`quality.strata.${one.stratum}`)}</td>
            <td data-number>{one.archived}</td>
            <td data-number>{one.drawn}</td>
            <td data-number>{one.open}</td>
            <td data-number>{one.samples}</td>
            <td data-number>{one.wrong}</td>
            <td data-number>{one.samples > 0 ? percent(one.rate) : t('quality.notMeasured')}</td>
            <td data-number>{one.samples > 0 ? percent(one.bound) : t('quality.notMeasured')}</td>
            <td data-number>{one.drawn > 0 ? percent(one.worstRate) : t('quality.notMeasured')}</td>
          </tr>
        ))}
      </FigureTable>
      {figures.strata.map((one) => (
        <StratumNotes key={one.stratum} figures={one} />
      ))}
      <Text size="xs" c="dimmed" mt={4}>
        {t('quality.errorsText')} {t('quality.moreOften')}
      </Text>
    </>
  );
}

/** What makes the error of a stratum less certain than it looks. */
function StratumNotes({ figures }: { figures: Stratum }) {
  const { t } = useTranslation();
  const { oldestOpen, notBlind, notBlindWrong, overruled, withoutShare } = figures;
  const parts = [
    notBlind > 0 && t('quality.notBlindText', { count: notBlind }),
    notBlindWrong > 0 && t('quality.notBlindWrong', { wrong: notBlindWrong }),
    overruled > 0 && t('quality.overruled', { count: overruled }),
    withoutShare > 0 && t('quality.withoutShare', { count: withoutShare }),
  ].filter((part) => part !== false);
  if (parts.length === 0 && !oldestOpen) return null;
  return (
    <>
      <Text size="sm" mt="xs">
        {t(`quality.strata.${figures.stratum}`)}
      </Text>
      <ul className={classes.notes}>
        {oldestOpen && (
          <li>
            {t('quality.oldestOpen')} <Timestamp iso={oldestOpen} />
          </li>
        )}
        {parts.map((part) => (
          <li key={part}>{part}</li>
        ))}
      </ul>
    </>
  );
}

function Groups({ groups }: { groups: Figures['groups'] }) {
  const { t, i18n } = useTranslation();
  if (groups.length === 0) return null;
  const label = ({ kind, key }: Figures['groups'][number]) => {
    if (kind === 'FIELD') return fieldLabel(t, key);
    if (kind === 'SOURCE')
      return t(`caseLabels.sources.${key.toUpperCase()}` as 'caseLabels.sources.XML', {
        defaultValue: key,
      });
    return key === '' ? t('quality.withoutApproval') : key;
  };
  return (
    <FigureTable
      title={t('quality.disagreement')}
      heads={[
        t('quality.by'),
        t('quality.name'),
        { number: t('quality.checks') },
        { number: t('quality.disagreed') },
        { number: t('quality.share') },
      ]}
    >
      {groups.map((group) => (
        <tr key={`${group.kind} ${group.key}`}>
          <td>{t(`quality.kinds.${group.kind}`)}</td>
          <td>{label(group)}</td>
          <td data-number>{group.checked}</td>
          <td data-number>{group.disagreed}</td>
          <td data-number>{percentText(group.disagreed / group.checked, i18n.language)}</td>
        </tr>
      ))}
    </FigureTable>
  );
}

function Samples({ samples }: { samples: QualityRecordsQuery['qualitySamples']['nodes'] }) {
  const { t } = useTranslation();
  if (samples.length === 0) {
    return (
      <Text size="sm" c="dimmed" mt="md">
        {t('quality.noSamples')}
      </Text>
    );
  }
  return (
    <FigureTable
      title={t('quality.latest')}
      heads={[
        t('quality.case'),
        t('quality.status'),
        t('quality.checkers'),
        t('quality.stratum'),
        t('quality.archivedAt'),
      ]}
    >
      {samples.map((sample) => (
        <tr key={sample.id}>
          <td>
            <Link to="/cases/$id" params={{ id: sample.reference }}>
              {sample.reference}
            </Link>
          </td>
          <td>
            {t(`quality.statuses.${sample.status}`)}{' '}
            {(sample.status === 'OPEN' || sample.status === 'DISPUTED') && (
              <>
                ({t('quality.drawnAt')} <Timestamp iso={sample.drawnAt} />)
              </>
            )}
            {sample.correctionId && (
              <Link to="/cases/$id" params={{ id: sample.correctionId }}>
                {t('quality.correction')}
              </Link>
            )}
          </td>
          <td>
            {sample.checks.map((check) => (
              <div key={String(check.settles)}>
                <PersonName person={check.person ?? null} />
                {!check.settles && !check.blind && ` (${t('quality.notBlind')})`}
                {check.reason !== '' && `: ${check.reason}`}
              </div>
            ))}
          </td>
          <td>{t(`quality.strata.${sample.stratum}`)}</td>
          <td>
            <Timestamp iso={sample.archivedAt} as="moment" />
          </td>
        </tr>
      ))}
    </FigureTable>
  );
}
