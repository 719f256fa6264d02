// The findings of the rules: severity, message, fields and points.
import { Button, Group, Text, Title, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { labelIn } from '../../lib/field-labels';
import { findingSentence, findingTitle, statusLabel } from '../../lib/labels';
import { ReferencedText } from '../../ui/ReferencedText';
import { Badge } from '../../ui/StatusBadge';
import { Timestamp } from '../../ui/values';
import classes from './review.module.css';
import type { Finding, Line, ListedCase } from './review-facts';
import { sumDocuments } from './sum-documents';

interface FindingsProps {
  findings: readonly Finding[];
  form: readonly Line[];
  submitterId: string | null;
  /** The other cases that the findings list. */
  listed: readonly ListedCase[];
  onPick: (field: string) => void;
  /** Asks why the document is no duplicate of the case; null if that cannot be stated now. */
  onDistinct: ((reference: string) => void) | null;
  /** Shows the document of the other case beside this one. */
  onCompare: (other: { id: string; reference: string }) => void;
}

/** The id of the heading. */
export const findingsHeading = 'review-findings';

const appearance = {
  BLOCKING: ['bad', 'refused', 'blocking'],
  WARNING: ['warn', 'alert', 'warning'],
  INFO: ['calm', 'eye', 'info'],
} as const;

const weight = { BLOCKING: 2, WARNING: 1, INFO: 0 } as const;

/** The findings by severity, otherwise in the order of the rules. */
function bySeverity(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => weight[b.severity] - weight[a.severity]);
}

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

export function Findings({ findings, listed, ...shared }: FindingsProps) {
  const { t } = useTranslation();
  const ordered = bySeverity(findings);
  const casesByFinding = listedByFinding(ordered, listed);
  return (
    <section className="cs-card" aria-labelledby={findingsHeading}>
      <Group gap="sm" justify="space-between">
        <Title order={2} id={findingsHeading} tabIndex={-1} fz="md">
          {t('review.findings.title')}
        </Title>
        {findings.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('review.findings.none')}
          </Text>
        )}
      </Group>
      <ul className={classes.findings}>
        {ordered.map((finding) => (
          <FindingItem
            key={`${finding.rule} ${finding.message}`}
            finding={finding}
            listed={casesByFinding.get(finding) ?? []}
            linked={linkedIn(casesByFinding.get(finding) ?? [], listed)}
            {...shared}
          />
        ))}
      </ul>
    </section>
  );
}

function FindingItem({
  finding,
  form,
  submitterId,
  listed,
  linked,
  onPick,
  onDistinct,
  onCompare,
}: { finding: Finding; linked: ReadonlySet<string> } & Omit<FindingsProps, 'findings'>) {
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
  const list = sumDocuments(finding, form, submitterId);
  return (
    <li>
      {/* A finding that lists a case is open, because the other case decides about it. */}
      <details
        className={classes.finding}
        data-severity={finding.severity}
        open={finding.severity !== 'INFO' && listed.length > 0 && listed.length < 3}
      >
        <summary title={sentence}>
          <Badge tone={tone} icon={icon}>
            {t(`review.findings.${labelKey}`)}
          </Badge>
          <Text fw={600} size="sm" span className={classes.findingTitle}>
            {title}
          </Text>
          {finding.score > 0 && (
            <Text size="sm" span className="cs-numbers">
              <span aria-hidden="true">
                {t('review.findings.points', { points: finding.score })}
              </span>
              <span className="cs-visually-hidden">
                {t('review.findings.pointsAloud', { points: finding.score })}
              </span>
            </Text>
          )}
        </summary>
        <Text size="sm">
          <ReferencedText text={sentence} linked={linked} />{' '}
          {list && <Link {...list}>{t('review.findings.documents')}</Link>}
        </Text>
        {listed.map((one) => (
          <OtherCase
            key={one.reference}
            listed={one}
            onDistinct={onDistinct}
            onCompare={onCompare}
          />
        ))}
        {namedFields.length > 0 && (
          <div className={classes.named}>
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
 * Another case: its status, when and why it was rejected, and the control to state that it is another
 * one. A user who may not open the case reads of its rejection without a link.
 */
function OtherCase({
  listed: { reference, clearable, rejectedAt, rejectionReason, case: other },
  onDistinct,
  onCompare,
}: {
  listed: ListedCase;
  onDistinct: FindingsProps['onDistinct'];
  onCompare: FindingsProps['onCompare'];
}) {
  const { t } = useTranslation();
  if (!other && !rejectedAt && !(clearable && onDistinct)) return null;
  const status = other?.status ?? (rejectedAt ? 'REJECTED' : null);
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
      {other && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t('review.compare.what', { reference })}
          onClick={() => onCompare({ id: other.id, reference })}
        >
          {t('review.compare.open')}
        </Button>
      )}
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
