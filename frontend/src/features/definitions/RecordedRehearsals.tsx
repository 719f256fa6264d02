// The recorded rehearsals of a proposal, for those who decide about it: sums without cases.
import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { RecordedRehearsalFragment } from '../../graphql/generated/graphql';
import { factName } from '../../lib/guard-words';
import { Badge } from '../../ui/StatusBadge';
import { Notice } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import classes from './definitions.module.css';
import { Counts, Limits, People, Unassigned } from './RehearsalReport';
import { RuleTable } from './RehearsedRules';
import { briefOf, widestReport } from './rehearsal';
import { RehearsalReports } from './rehearsal-reports.graphql';

const fewestDetailed = 10;
const proposalKinds = { process: 'PROCESS', rules: 'RULE_SET', policy: 'POLICY' } as const;

interface RecordedProps {
  proposal: { id: string; key: string };
  kind: keyof typeof proposalKinds;
  /** Only how many there are and what the one of the most cases says, in the dialog that publishes. */
  brief?: boolean;
}

export default function RecordedRehearsals({ proposal, kind, brief = false }: RecordedProps) {
  const { t } = useTranslation();
  const [{ data }] = useQuery({
    query: RehearsalReports,
    variables: { kind: proposalKinds[kind], key: proposal.key },
    requestPolicy: 'cache-and-network',
  });
  const found = data?.proposals.nodes.find(({ id }) => id === proposal.id);
  if (!found) return null;
  const ofText = found.rehearsals.filter(({ ofThisText }) => ofThisText).length;
  if (brief) return <Brief reports={found.rehearsals} count={ofText} />;
  return (
    <section aria-labelledby={`recorded-${proposal.id}`} className={classes.past}>
      <Text size="sm" fw={600} id={`recorded-${proposal.id}`}>
        {t('rehearsal.recorded.title')}
      </Text>
      {ofText === 0 && (
        <Text size="sm" c="dimmed">
          {t(
            found.rehearsals.length > 0
              ? 'rehearsal.recorded.otherOnly'
              : 'rehearsal.recorded.none',
          )}
        </Text>
      )}
      {found.rehearsals.map((report) => (
        <Report key={report.sha256} report={report} ofRules={kind === 'rules'} />
      ))}
    </section>
  );
}

function Brief({
  reports,
  count,
}: {
  reports: readonly RecordedRehearsalFragment[];
  count: number;
}) {
  const { t } = useTranslation();
  const widest = widestReport(reports);
  if (!widest) return <p>{t('rehearsal.recorded.publishNone')}</p>;
  return (
    <>
      <p>{t('rehearsal.recorded.widest', { count: widest.cases })}</p>
      <ul className={classes.resultList}>
        {briefOf(t, widest).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <p>{t('rehearsal.recorded.publish', { count })}</p>
    </>
  );
}

interface ReportProps {
  report: RecordedRehearsalFragment;
  ofRules: boolean;
}

function Report({ report, ofRules }: ReportProps) {
  const { t } = useTranslation();
  const { ofThisText, cases, same, otherVersions, closedAsked } = report;
  return (
    <details>
      <summary>
        <Group gap="xs" display="inline-flex">
          <Badge tone={ofThisText ? 'good' : 'warn'} icon={ofThisText ? 'check' : 'pen'}>
            {t(ofThisText ? 'rehearsal.recorded.thisText' : 'rehearsal.recorded.otherText')}
          </Badge>
          <Text size="sm" span>
            {t('rehearsal.recorded.sums', { count: cases, same })}
          </Text>
          <Text size="xs" c="dimmed" span>
            <PersonName person={report.rehearsedBy} /> ·{' '}
            <Timestamp iso={report.rehearsedAt} as="moment" />
          </Text>
        </Group>
      </summary>
      <div className={classes.stack}>
        {!ofThisText && <Notice tone="warn">{t('rehearsal.recorded.otherOnly')}</Notice>}
        <Text size="sm">
          {t(report.openAsked ? 'rehearsal.recorded.askedOpen' : 'rehearsal.recorded.asked', {
            count: closedAsked,
          })}
        </Text>
        {otherVersions > 0 && (
          <Text size="sm">
            {t('rehearsal.recorded.otherVersions', {
              count: otherVersions,
              version: report.baseVersion,
            })}
          </Text>
        )}
        <Limits rehearsal={report} />
        <Counts rehearsal={report} ofRules={ofRules} />
        <Unassigned rehearsal={report} />
        {cases < fewestDetailed && <Text size="sm">{t('rehearsal.recorded.few')}</Text>}
        <Stops stops={report.stops} />
        {report.rules.length > 0 && <RuleTable rules={report.rules} />}
        <People rehearsal={report} />
      </div>
    </details>
  );
}

function Stops({ stops }: Pick<RecordedRehearsalFragment, 'stops'>) {
  const { t } = useTranslation();
  if (stops.length === 0) return null;
  return (
    <ul className={classes.resultList}>
      {stops.map(({ node, lacks, cases }) => (
        <li key={`${node} ${lacks.join()}`}>
          {node !== null && <b>{node}: </b>}
          {lacks.length > 0
            ? t('rehearsal.lacks', { facts: lacks.map((fact) => factName(t, fact)).join(', ') })
            : t('rehearsal.recorded.noRoute')}{' '}
          {t('rehearsal.missingCases', { count: cases })}
        </li>
      ))}
    </ul>
  );
}
