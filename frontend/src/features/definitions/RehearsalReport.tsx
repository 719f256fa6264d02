// The result of a rehearsal: counts first, then missing facts, cases, people and queues.
import { Button, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { RecordedRehearsalFragment } from '../../graphql/generated/graphql';
import { dateTimeText } from '../../lib/format';
import { queueLabel, queueLabels } from '../../lib/labels';
import { saveFile } from '../../lib/save-file';
import { Notice } from '../../ui/states';
import classes from './definitions.module.css';
import { RehearsedRules } from './RehearsedRules';
import { csvOf, groupsOf, type Rehearsed, reasonsOf, ruleNamesOf } from './rehearsal';

/** What a rehearsal and the report of one have. */
type Late = 'otherReviews' | 'unassignedBefore' | 'unassignedAfter';
/** What a rehearsal and a report of one have; earlier reports do not have the later figures. */
type Sums = Pick<
  Rehearsed,
  Exclude<
    keyof Rehearsed & keyof RecordedRehearsalFragment,
    '__typename' | 'rules' | 'people' | Late
  >
> &
  Pick<RecordedRehearsalFragment, Late>;

interface ReportProps {
  rehearsal: Rehearsed;
  /** The labels of the steps by id. */
  names: ReadonlyMap<string, string>;
}

export function RehearsalReport({ rehearsal, names }: ReportProps) {
  const { t } = useTranslation();
  return (
    <div className={classes.stack}>
      <div role="status">
        <Text fw={600}>
          {t('rehearsal.result', { count: rehearsal.cases, same: rehearsal.same })}
        </Text>
      </div>
      <Limits rehearsal={rehearsal} />
      <Counts rehearsal={rehearsal} ofRules={rehearsal.rules !== null} />
      <Unassigned rehearsal={rehearsal} />
      <MissingFacts rehearsal={rehearsal} names={names} />
      <RehearsedRules rehearsal={rehearsal} />
      <Cases rehearsal={rehearsal} names={names} />
      <People rehearsal={rehearsal} />
      <Queues rehearsal={rehearsal} />
    </div>
  );
}

/** What the reader must know before they trust the figures. */
export function Limits({ rehearsal }: { rehearsal: Sums }) {
  const { t, i18n } = useTranslation();
  const { hidden, erased, simplified, complete, comparedWithRecord, unlikeRecord, hiddenVotes } =
    rehearsal;
  const { since, peopleChanged, permissionsChanged } = rehearsal;
  return (
    <>
      {!complete && <Notice tone="warn">{t('rehearsal.incomplete')}</Notice>}
      {hidden > 0 && <Text size="sm">{t('rehearsal.hidden', { count: hidden })}</Text>}
      {erased > 0 && <Text size="sm">{t('rehearsal.erased', { count: erased })}</Text>}
      {simplified > 0 && <Text size="sm">{t('rehearsal.simplified', { count: simplified })}</Text>}
      {comparedWithRecord > 0 && (
        <Text size="sm">
          {t('rehearsal.record', { count: comparedWithRecord, unlike: unlikeRecord })}
        </Text>
      )}
      {hiddenVotes > 0 && (
        <Text size="sm">{t('rehearsal.hiddenVotes', { count: hiddenVotes })}</Text>
      )}
      {since && peopleChanged !== null && permissionsChanged !== null && (
        <Text size="sm">
          {t('rehearsal.peopleNow', {
            count: peopleChanged,
            permissions: permissionsChanged,
            time: dateTimeText(since, i18n.language),
          })}
        </Text>
      )}
    </>
  );
}

const usualCounts = [
  'moreReviews',
  'fewerReviews',
  'otherReviews',
  'straightToPerson',
  'personToStraight',
  'otherEnd',
  'stopped',
  'tooFewBefore',
  'tooFewAfter',
] as const;
const ruleCounts = ['otherFindings', 'undetermined', 'refused', 'impossible'] as const;

export function Counts({ rehearsal, ofRules }: { rehearsal: Sums; ofRules: boolean }) {
  const { t } = useTranslation();
  const counts = ofRules ? [...ruleCounts, ...usualCounts] : usualCounts;
  return (
    <table className={`cs-table ${classes.counts}`} aria-label={t('rehearsal.counts')}>
      <tbody>
        {counts.map((name) => (
          <tr key={name}>
            <th scope="row">{t(`rehearsal.count.${name}`)}</th>
            <td data-number>{rehearsal[name] ?? t('rehearsal.recorded.notCounted')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Cases with a review that its queue would assign to no one. Others may still claim it. */
export function Unassigned({
  rehearsal,
}: {
  rehearsal: Pick<Sums, 'unassignedBefore' | 'unassignedAfter'>;
}) {
  const { t } = useTranslation();
  const unassignedBefore = rehearsal.unassignedBefore ?? 0;
  const unassignedAfter = rehearsal.unassignedAfter ?? 0;
  if (unassignedBefore + unassignedAfter === 0) return null;
  return (
    <Text size="sm">
      {t('rehearsal.unassignedCases', { count: unassignedAfter, before: unassignedBefore })}
    </Text>
  );
}

function MissingFacts({ rehearsal, names }: ReportProps) {
  const { t } = useTranslation();
  if (rehearsal.missingFacts.length === 0) return null;
  return (
    <div>
      <Title order={3} size="h5">
        {t('rehearsal.missing')}
      </Title>
      <ul className={classes.resultList}>
        {rehearsal.missingFacts.map(({ node, message, cases }) => (
          <li key={`${node} ${message}`}>
            {node !== null && <b>{names.get(node) ?? node}: </b>}
            {message} {t('rehearsal.missingCases', { count: cases })}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Cases({ rehearsal, names }: ReportProps) {
  const { t, i18n } = useTranslation();
  const ruleNames = ruleNamesOf(rehearsal.rules, i18n.language);
  const { different, cases, same } = rehearsal;
  if (different.length === 0) return null;
  const rows = different.map((one) => ({ ...one, reasons: reasonsOf(t, one, names, ruleNames) }));
  const save = () => {
    const head = [t('rehearsal.case'), t('rehearsal.why')];
    const lines = rows.map(({ reference, reasons }) => [reference, reasons.join('; ')]);
    const text = csvOf([head, ...lines]);
    saveFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), 'rehearsal.csv');
  };
  return (
    <div>
      <Group justify="space-between" gap="sm">
        <Title order={3} size="h5">
          {t('rehearsal.cases')}
        </Title>
        <Button size="xs" variant="default" onClick={save}>
          {t('rehearsal.save')}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        {t('rehearsal.named', { count: different.length, all: cases - same })}
      </Text>
      <ul className={classes.resultList}>
        {groupsOf(rows).map((group) => (
          <CaseGroup key={group[0]?.caseId} group={group} />
        ))}
      </ul>
    </div>
  );
}

interface CaseGroupProps {
  /** Cases with the same reasons. */
  group: readonly { caseId: string; reference: string; reasons: readonly string[] }[];
}

function CaseGroup({ group }: CaseGroupProps) {
  const { t } = useTranslation();
  const links = group.map(({ caseId, reference }) => (
    <Link key={caseId} to="/cases/$id" params={{ id: reference }}>
      {reference}
    </Link>
  ));
  const reasons = group[0]?.reasons.join('; ') ?? '';
  if (group.length === 1)
    return (
      <li>
        {links}{' '}
        <Text size="sm" span>
          {reasons}
        </Text>
      </li>
    );
  return (
    <li>
      <Text size="sm">{t('rehearsal.group', { count: group.length, reasons })}</Text>
      <details>
        <summary>{t('rehearsal.groupCases', { count: group.length })}</summary>
        <Group gap="xs">{links}</Group>
      </details>
    </li>
  );
}

export function People({ rehearsal: { people } }: { rehearsal: Pick<Rehearsed, 'people'> }) {
  const { t, i18n } = useTranslation();
  if (!people || people.length === 0) return null;
  const number = (value: number) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 }).format(value);
  return (
    <div>
      <Title order={3} size="h5" id="rehearsal-people">
        {t('rehearsal.people')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('rehearsal.peopleText')}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable */}
      <section className={classes.wide} tabIndex={0} aria-labelledby="rehearsal-people">
        <table className="cs-table" aria-labelledby="rehearsal-people">
          <thead>
            <tr>
              <th>{t('rehearsal.person')}</th>
              {(['askedBefore', 'askedAfter', 'couldBefore', 'couldAfter'] as const).map((name) => (
                <th data-number key={name}>
                  {t(`rehearsal.column.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {people.map((one) => (
              <tr key={one.person?.id}>
                <th scope="row">{one.person?.name ?? t('ui.none')}</th>
                <td data-number>{number(one.askedBefore)}</td>
                <td data-number>{number(one.askedAfter)}</td>
                <td data-number>{one.couldBefore}</td>
                <td data-number>{one.couldAfter}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function Queues({ rehearsal }: Pick<ReportProps, 'rehearsal'>) {
  const { t, i18n } = useTranslation();
  const { queues, unknownQueues, queueError } = rehearsal;
  const number = (value: number) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 }).format(value);
  const unassigned = (queues ?? []).some(
    (one) => (one.unassigned ?? 0) + (one.changedUnassigned ?? 0) > 0,
  );
  const unknown = unknownQueues.length > 0 && (
    <Text size="sm">{t('rehearsal.unknownQueues', { queues: queueLabels(t, unknownQueues) })}</Text>
  );
  if (!queues || queues.length === 0) return unknown || null;
  return (
    <div>
      <Title order={3} size="h5" id="rehearsal-queues">
        {t('rehearsal.queues')}
      </Title>
      <Text size="sm" c="dimmed">
        {queueError
          ? t('rehearsal.queueError', {
              decided: number(queueError.decided),
              time: number(queueError.time),
            })
          : t('rehearsal.noQueueError')}{' '}
        {t('rehearsal.queuePeople')}
      </Text>
      {unknown}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable */}
      <section className={classes.wide} tabIndex={0} aria-labelledby="rehearsal-queues">
        <table className="cs-table" aria-labelledby="rehearsal-queues">
          <thead>
            <tr>
              <th>{t('rehearsal.queue')}</th>
              {(['reviewers', 'opened', 'late', 'recorded'] as const).map((name) => (
                <th data-number key={name}>
                  {t(`rehearsal.column.${name}`)}
                </th>
              ))}
              {unassigned && <th data-number>{t('rehearsal.column.unassigned')}</th>}
            </tr>
          </thead>
          <tbody>
            {queues.map(
              ({ queue, reviewers, changedReviewers, recorded, replayed, changed, ...rest }) => (
                <tr key={queue}>
                  <th scope="row">{queueLabel(t, queue)}</th>
                  <td data-number>
                    {t('rehearsal.pair', { before: reviewers, after: changedReviewers })}
                  </td>
                  <td data-number>
                    {t('rehearsal.pair', { before: replayed.opened, after: changed.opened })}
                  </td>
                  <td data-number>
                    {t('rehearsal.pair', { before: replayed.late, after: changed.late })}
                  </td>
                  <td data-number>{recorded.late}</td>
                  {unassigned && (
                    <td data-number>
                      {t('rehearsal.pair', {
                        before: rest.unassigned ?? 0,
                        after: rest.changedUnassigned ?? 0,
                      })}
                    </td>
                  )}
                </tr>
              ),
            )}
          </tbody>
        </table>
      </section>
    </div>
  );
}
