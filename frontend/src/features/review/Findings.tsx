// The findings of the rules: severity, message, fields and points.
import { Button, Group, Kbd, Text, Title, UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { countedDocuments } from '../../lib/counted-documents';
import { labelIn } from '../../lib/field-labels';
import { findingSentence, findingTitle, statusLabel } from '../../lib/labels';
import { ReferencedText } from '../../ui/ReferencedText';
import { Badge } from '../../ui/StatusBadge';
import { SumLink } from '../../ui/SumLink';
import { Timestamp } from '../../ui/values';
import type { OtherDocument } from './CompareDialog';
import { inOrder, mustBeShown, splitFindings } from './finding-order';
import type { Recomputed } from './recomputed';
import classes from './review.module.css';
import type { Finding, Line, ListedCase } from './review-facts';
import { severalDocuments } from './SplitPanel';
import { unfoldKey } from './use-folded-findings';

interface FindingsProps {
  findings: readonly Finding[];
  /** The process judges documents by rules. */
  assessed: boolean;
  caseId: string;
  form: readonly Line[];
  /** The other cases that the findings list. */
  listed: readonly ListedCase[];
  /** The rules of the findings that an approval has to explain. */
  explained: ReadonlySet<string>;
  onPick: (field: string) => void;
  /** Asks why the document is no duplicate of the case; null if that cannot be stated now. */
  onDistinct: ((reference: string) => void) | null;
  /** Shows the document of the other case beside this one. */
  onCompare: (other: OtherDocument) => void;
  /** Only the titles that are never hidden are shown, because a field has the focus in a low window. */
  folded: boolean;
  onOpen: () => void;
  /** Findings that other documents made since the last evaluation; null if there are none. */
  recomputed: Recomputed | null;
  /** Shows where the file is split; null if the user cannot split it by pages. */
  onSplit: (() => void) | null;
}

/** The id of the heading. */
export const findingsHeading = 'review-findings';

const appearance = {
  BLOCKING: ['bad', 'refused', 'blocking'],
  WARNING: ['warn', 'alert', 'warning'],
  INFO: ['calm', 'eye', 'info'],
} as const;

/** The references of the other cases that a finding lists. */
const casesOf = (finding: Finding): string[] =>
  finding.evidence.find(({ name }) => name === 'cases')?.value.split(',') ?? [];

/** The cases that each finding lists; a case appears with the first finding that lists it. */
function listedByFinding(
  findings: readonly Finding[],
  listed: readonly ListedCase[],
): Map<Finding, ListedCase[]> {
  const shown = new Set<string>();
  return new Map(
    findings.map((finding) => {
      const found = listed.filter(
        ({ reference }) => casesOf(finding).includes(reference) && !shown.has(reference),
      );
      for (const { reference } of found) shown.add(reference);
      return [finding, found];
    }),
  );
}

/** The cases that a sentence links: those that the user may open and that are not listed below it. */
function linkedIn(below: readonly ListedCase[], listed: readonly ListedCase[]): Set<string> {
  const others = listed.filter((one) => one.case && !below.includes(one));
  return new Set(others.map(({ reference }) => reference));
}

export function Findings({
  findings,
  assessed,
  listed,
  explained,
  folded,
  onOpen,
  recomputed,
  ...shared
}: FindingsProps) {
  const { t } = useTranslation();
  const ordered = inOrder(findings);
  if (folded && findings.length > 1)
    return <FoldedFindings {...{ findings: ordered, explained, onOpen, recomputed }} />;
  const casesByFinding = listedByFinding(ordered, listed);
  const shown = splitFindings(ordered, explained);
  const items = (some: readonly Finding[]) => (
    <ul className={classes.findings}>
      {some.map((finding) => (
        <FindingItem
          key={`${finding.rule} ${finding.message}`}
          finding={finding}
          listed={casesByFinding.get(finding) ?? []}
          linked={linkedIn(casesByFinding.get(finding) ?? [], listed)}
          {...shared}
        />
      ))}
    </ul>
  );
  return (
    <section className="cs-card" aria-labelledby={findingsHeading}>
      <Group gap="sm" justify="space-between">
        <Title order={2} id={findingsHeading} tabIndex={-1} fz="md">
          {t('review.findings.title')}
        </Title>
        {findings.length === 0 && (
          <Text size="sm" c="dimmed">
            {t(assessed ? 'review.findings.none' : 'caseLabels.notAssessed')}
          </Text>
        )}
      </Group>
      {recomputed && <RecomputedNote findings={findings} recomputed={recomputed} />}
      {items(shown.listed)}
      {shown.others.length > 0 && (
        <details className={classes.otherFindings}>
          <summary>
            <OtherFindings findings={shown.others} />
          </summary>
          {items(shown.others)}
        </details>
      )}
    </section>
  );
}

/** Says why the risk has risen though the user only confirmed a value. */
function RecomputedNote({
  findings,
  recomputed: { rules, before, after },
}: Pick<FindingsProps, 'findings'> & { recomputed: Recomputed }) {
  const { t, i18n } = useTranslation();
  const titles = findings
    .filter(({ rule }) => rules.includes(rule))
    .map((finding) => {
      const title = findingTitle(i18n.language, finding);
      const count = countedDocuments(finding);
      return count === null ? title : t('review.findings.counted', { title, count });
    });
  if (titles.length === 0) return null;
  return (
    <Text size="sm" role="status">
      {t('review.findings.recomputed', {
        titles: titles.join(t('caseLabels.next.comma')),
      })}{' '}
      {before !== after && t('review.findings.riskChanged', { before, after })}
    </Text>
  );
}

/** The number of findings and their points in one line, with the titles that are never hidden. */
function FoldedFindings({
  findings,
  explained,
  onOpen,
  recomputed,
}: Pick<FindingsProps, 'findings' | 'explained' | 'onOpen' | 'recomputed'>) {
  const { t, i18n } = useTranslation();
  const points = findings.reduce((sum, { score }) => sum + score, 0);
  const { ref, height } = useElementSize();
  useEffect(() => {
    const { style } = document.documentElement;
    // The padding and the border of the card are not in the height.
    if (height > 0) style.setProperty('--folded-height', `${Math.ceil(height) + 22}px`);
    return () => void style.removeProperty('--folded-height');
  }, [height]);
  return (
    <section ref={ref} className={`cs-card ${classes.folded}`} aria-labelledby={findingsHeading}>
      <h2 id={findingsHeading} tabIndex={-1} className="cs-visually-hidden">
        {t('review.findings.title')}
      </h2>
      <UnstyledButton className={classes.unfold} aria-expanded={false} onClick={onOpen}>
        {t('review.findings.folded', { count: findings.length })}
        {points > 0 && <Points points={points} />} <Kbd size="xs">{unfoldKey}</Kbd>
      </UnstyledButton>
      {findings
        .filter((finding) => mustBeShown(finding, explained))
        .map((finding) => {
          const [tone, icon, labelKey] = appearance[finding.severity];
          return (
            <span
              key={`${finding.rule} ${finding.message}`}
              data-severity={finding.severity}
              title={findingSentence(i18n.language, finding)}
            >
              <Badge tone={tone} icon={icon}>
                <span className="cs-visually-hidden">{t(`review.findings.${labelKey}`)}: </span>
                {findingTitle(i18n.language, finding)}
              </Badge>
            </span>
          );
        })}
      {recomputed && <RecomputedNote findings={findings} recomputed={recomputed} />}
    </section>
  );
}

/** How many findings are not listed, by severity, and their points. */
function OtherFindings({ findings }: { findings: readonly Finding[] }) {
  const { t } = useTranslation();
  const points = findings.reduce((sum, { score }) => sum + score, 0);
  const warnings = findings.filter(({ severity }) => severity === 'WARNING').length;
  const infos = findings.length - warnings;
  const counts = [
    warnings > 0 && t('review.findings.warnings', { count: warnings }),
    infos > 0 && t('review.findings.infos', { count: infos }),
  ].filter((count) => count !== false);
  return (
    <>
      <Text size="sm" span>
        {t('review.findings.others', { counts: counts.join(t('caseLabels.next.comma')) })}
      </Text>
      {points > 0 && <Points points={points} />}
    </>
  );
}

/** The points that findings add to the risk. */
function Points({ points }: { points: number }) {
  const { t } = useTranslation();
  return (
    <Text size="sm" span className="cs-numbers">
      <span aria-hidden="true">{t('review.findings.points', { points })}</span>
      <span className="cs-visually-hidden">{t('review.findings.pointsAloud', { points })}</span>
    </Text>
  );
}

function FindingItem({
  finding,
  caseId,
  form,
  listed,
  linked,
  onPick,
  onDistinct,
  onCompare,
  onSplit,
}: { finding: Finding; linked: ReadonlySet<string> } & Omit<
  FindingsProps,
  'findings' | 'explained' | 'assessed' | 'folded' | 'onOpen' | 'recomputed'
>) {
  const { t, i18n } = useTranslation();
  const [tone, icon, labelKey] = appearance[finding.severity];
  const title = findingTitle(i18n.language, finding);
  const listedFields =
    finding.evidence.find(({ name }) => name === 'fields')?.value.split(',') ?? [];
  const namedFields = form.filter(
    (line) =>
      listedFields.includes(line.name) || finding.evidence.some(({ name }) => name === line.name),
  );
  const sentence = findingSentence(i18n.language, finding);
  const splits = finding.rule === severalDocuments ? onSplit : null;
  return (
    <li>
      {/* A finding is open if the way on is in it: another case, or the split of the file. */}
      <details
        className={classes.finding}
        data-severity={finding.severity}
        open={
          splits !== null || (finding.severity !== 'INFO' && listed.length > 0 && listed.length < 3)
        }
      >
        <summary title={sentence}>
          <Badge tone={tone} icon={icon}>
            {t(`review.findings.${labelKey}`)}
          </Badge>
          <Text fw={600} size="sm" span className={classes.findingTitle}>
            {title}
          </Text>
          {finding.score > 0 && <Points points={finding.score} />}
        </summary>
        <Text size="sm">
          <ReferencedText text={sentence} linked={linked} />{' '}
          <SumLink caseId={caseId} finding={finding} />
        </Text>
        {listed.map((one) => (
          <OtherCase
            key={one.reference}
            listed={one}
            onDistinct={onDistinct}
            onCompare={onCompare}
          />
        ))}
        {(namedFields.length > 0 || splits) && (
          <div className={classes.named}>
            {splits && (
              <UnstyledButton className={classes.fieldLink} onClick={splits}>
                {t('parts.split.title')}
              </UnstyledButton>
            )}
            {namedFields.map((line) => (
              <UnstyledButton
                key={line.name}
                className={classes.fieldLink}
                onClick={() => onPick(line.name)}
              >
                {labelIn(i18n.language, line)}
              </UnstyledButton>
            ))}
          </div>
        )}
      </details>
    </li>
  );
}

/**
 * Another case: its status, when and why it was rejected, and the controls to compare both documents and
 * to state that it is another one. A user who may not open the case reads that it was archived or
 * rejected, without a link; who decides the review may compare it.
 */
function OtherCase({
  listed: { reference, clearable, archived, rejectedAt, rejectionReason, case: other },
  onDistinct,
  onCompare,
}: {
  listed: ListedCase;
  onDistinct: FindingsProps['onDistinct'];
  onCompare: FindingsProps['onCompare'];
}) {
  const { t } = useTranslation();
  const status = other?.status ?? (rejectedAt ? 'REJECTED' : archived ? 'ARCHIVED' : null);
  return (
    <div className={classes.otherCase}>
      <Text size="sm">
        {other ? (
          <Link to="/cases/$id" params={{ id: reference }}>
            {reference}
          </Link>
        ) : (
          reference
        )}{' '}
        {status && statusLabel(t, status, true)}{' '}
        {rejectedAt && <Timestamp iso={rejectedAt} as="moment" />}
        {rejectionReason && (
          <span className={classes.reason}>
            {': '}
            {rejectionReason}
          </span>
        )}
      </Text>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t('review.compare.what', { reference })}
        onClick={() => onCompare({ id: other?.id ?? null, reference })}
      >
        {t('review.compare.open')}
      </Button>
      {clearable && onDistinct && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t('review.distinct.what', { reference })}
          onClick={() => onDistinct(reference)}
        >
          {t('review.distinct.mark')}
        </Button>
      )}
    </div>
  );
}
