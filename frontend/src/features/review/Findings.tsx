// The findings of the rules: severity, message, fields and points.
import { Text, Title, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { fieldLabel, findingSentence, findingTitle } from '../../lib/labels';
import { Badge } from '../../ui/StatusBadge';
import classes from './review.module.css';
import type { Finding, Line } from './review-facts';

interface FindingsProps {
  findings: readonly Finding[];
  form: readonly Line[];
  onPick: (field: string) => void;
}

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

export function Findings({ findings, form, onPick }: FindingsProps) {
  const { t } = useTranslation();
  return (
    <section className="cs-card" aria-labelledby="review-findings">
      <Title order={2} id="review-findings" mb="xs">
        {t('review.findings.title')}
      </Title>
      {findings.length === 0 && <Text c="dimmed">{t('review.findings.none')}</Text>}
      <ul className={classes.findings}>
        {bySeverity(findings).map((finding) => (
          <FindingItem
            key={`${finding.rule} ${finding.message}`}
            finding={finding}
            form={form}
            onPick={onPick}
          />
        ))}
      </ul>
    </section>
  );
}

function FindingItem({
  finding,
  form,
  onPick,
}: { finding: Finding } & Omit<FindingsProps, 'findings'>) {
  const { t, i18n } = useTranslation();
  const [tone, icon, labelKey] = appearance[finding.severity];
  const title = findingTitle(i18n.language, finding);
  const listedFields =
    finding.evidence.find(({ name }) => name === 'fields')?.value.split(',') ?? [];
  const namedFields = form.filter(
    (line) =>
      listedFields.includes(line.name) || finding.evidence.some(({ name }) => name === line.name),
  );
  return (
    <li>
      <div className={classes.findingHead}>
        <Badge tone={tone} icon={icon}>
          {t(`review.findings.${labelKey}`)}
        </Badge>
        <Text fw={600} size="sm" style={{ flex: 1 }}>
          {title}
        </Text>
        {finding.score > 0 && (
          <Text size="sm" className="cs-numbers">
            <span aria-hidden="true">{t('review.findings.points', { points: finding.score })}</span>
            <span className="cs-visually-hidden">
              {t('review.findings.pointsAloud', { points: finding.score })}
            </span>
          </Text>
        )}
      </div>
      <Text size="sm">{findingSentence(i18n.language, finding)}</Text>
      {namedFields.length > 0 && (
        <div className={classes.named}>
          {namedFields.map((line) => (
            <UnstyledButton
              key={line.name}
              className={classes.fieldLink}
              onClick={() => onPick(line.name)}
            >
              {fieldLabel(t, line.name)}
            </UnstyledButton>
          ))}
        </div>
      )}
    </li>
  );
}
