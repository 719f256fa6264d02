// The figures of the quality sample, and its latest samples.
import { Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { QualityRecordsQuery } from '../../graphql/generated/graphql';
import { fieldLabel } from '../../lib/labels';
import { ErrorState, LoadingState } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import { durationText, percentText } from './figures';
import { QualityRecords } from './quality.graphql';
import classes from './quality.module.css';

type Figures = QualityRecordsQuery['qualityFigures'];

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
      <Groups groups={figures.groups} />
      <Pairs pairs={figures.pairs} />
      <Samples samples={data.qualitySamples.nodes} />
    </>
  );
}

function Table({
  title,
  heads,
  children,
}: {
  title: string;
  heads: readonly string[];
  children: React.ReactNode;
}) {
  return (
    <section className={classes.scroll}>
      <Title order={3} size="h5" mt="md" mb={4}>
        {title}
      </Title>
      <table className="cs-table" aria-label={title}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function Strata({ figures }: { figures: Figures }) {
  const { t, i18n } = useTranslation();
  const percent = (share: number) => percentText(share, i18n.language);
  return (
    <>
      <Table
        title={t('quality.errors')}
        heads={[
          t('quality.stratum'),
          t('quality.archivedCount'),
          t('quality.drawnCount'),
          t('quality.samples'),
          t('quality.wrong'),
          t('quality.rate'),
          t('quality.bound'),
        ]}
      >
        {figures.strata.map((one) => (
          <tr key={one.stratum}>
            <td>{t(`quality.strata.${one.stratum}`)}</td>
            <td>{one.archived}</td>
            <td>{one.drawn}</td>
            <td>
              {one.notBlind > 0
                ? t('quality.withNotBlind', { samples: one.samples, notBlind: one.notBlind })
                : one.samples}
            </td>
            <td>{one.wrong}</td>
            <td>{one.samples > 0 ? percent(one.rate) : t('quality.notMeasured')}</td>
            <td>{one.samples > 0 ? percent(one.bound) : t('quality.notMeasured')}</td>
          </tr>
        ))}
      </Table>
      <Text size="xs" c="dimmed">
        {t('quality.errorsText')}
      </Text>
    </>
  );
}

function Groups({ groups }: { groups: Figures['groups'] }) {
  const { t, i18n } = useTranslation();
  if (groups.length === 0) return null;
  const label = ({ kind, key }: Figures['groups'][number]) => {
    if (kind === 'FIELD') return fieldLabel(t, key);
    return key === '' ? t('quality.withoutApproval') : key;
  };
  return (
    <Table
      title={t('quality.disagreement')}
      heads={[
        t('quality.by'),
        t('quality.name'),
        t('quality.checks'),
        t('quality.disagreed'),
        t('quality.share'),
      ]}
    >
      {groups.map((group) => (
        <tr key={`${group.kind} ${group.key}`}>
          <td>{t(`quality.kinds.${group.kind}`)}</td>
          <td>{label(group)}</td>
          <td>{group.checked}</td>
          <td>{group.disagreed}</td>
          <td>{percentText(group.disagreed / group.checked, i18n.language)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Pairs({ pairs }: { pairs: Figures['pairs'] }) {
  const { t, i18n } = useTranslation();
  if (pairs.length === 0) return null;
  return (
    <Table
      title={t('quality.pairs')}
      heads={[
        t('quality.submitter'),
        t('quality.reviewer'),
        t('quality.documents'),
        t('quality.pairShare'),
        t('quality.time'),
        t('quality.nearMark'),
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
          <td>{pair.documents}</td>
          <td>{percentText(pair.share, i18n.language)}</td>
          <td>{durationText(pair.seconds, i18n.language)}</td>
          <td>{percentText(pair.nearMark, i18n.language)}</td>
        </tr>
      ))}
    </Table>
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
    <Table
      title={t('quality.latest')}
      heads={[
        t('quality.case'),
        t('quality.stratum'),
        t('quality.archivedAt'),
        t('quality.status'),
        t('quality.checkers'),
      ]}
    >
      {samples.map((sample) => (
        <tr key={sample.id}>
          <td>
            <Link to="/cases/$id" params={{ id: sample.caseId }}>
              {sample.reference}
            </Link>
          </td>
          <td>{t(`quality.strata.${sample.stratum}`)}</td>
          <td>
            <Timestamp iso={sample.archivedAt} as="moment" />
          </td>
          <td>
            {t(`quality.statuses.${sample.status}`)}{' '}
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
        </tr>
      ))}
    </Table>
  );
}
