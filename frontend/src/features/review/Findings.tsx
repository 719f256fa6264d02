// The findings of a review: title, sentence, affected fields and points.
import { Text, Title, UnstyledButton } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { findingSentence, findingTitle } from '../../lib/words';
import { Badge } from '../../ui/StatusBadge';
import classes from './review.module.css';
import type { Finding, Line } from './review-facts';

interface FindingsProps {
  findings: readonly Finding[];
  form: readonly Line[];
  onPick: (field: string) => void;
}

const looks = {
  BLOCKING: ['bad', 'refused', 'blocking'],
  WARNING: ['warn', 'alert', 'warning'],
  INFO: ['calm', 'eye', 'info'],
} as const;

const weight = { BLOCKING: 2, WARNING: 1, INFO: 0 } as const;

/** Sorts by severity; findings of equal severity keep the order of the rules. */
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
          <OneFinding key={`${finding.rule} ${finding.message}`} finding={finding} form={form} onPick={onPick} />
        ))}
      </ul>
    </section>
  );
}

function OneFinding({ finding, form, onPick }: { finding: Finding } & Omit<FindingsProps, 'findings'>) {
  const { t, i18n } = useTranslation();
  const [tone, icon, word] = looks[finding.severity];
  const title = findingTitle(i18n.language, finding);
  const listed = finding.evidence.find(({ name }) => name === 'fields')?.value.split(',') ?? [];
  const named = form.filter(
    (line) => listed.includes(line.name) || finding.evidence.some(({ name }) => name === line.name),
  );
  return (
    <li className={classes.finding}>
      <div className={classes.findingHead}>
        <Badge tone={tone} icon={icon}>
          {t(`review.findings.${word}`)}
        </Badge>
        <Text fw={600} size="sm" style={{ flex: 1 }}>
          {title}
        </Text>
        {finding.score > 0 && (
          <Text size="sm" className="cs-numbers">
            <span aria-hidden="true">{t('review.findings.points', { points: finding.score })}</span>
            <span className="cs-visually-hidden">{t('review.findings.pointsAloud', { points: finding.score })}</span>
          </Text>
        )}
      </div>
      <Text size="sm">{findingSentence(i18n.language, finding)}</Text>
      {named.length > 0 && (
        <div className={classes.named}>
          {named.map((line) => (
            <UnstyledButton key={line.name} className={classes.fieldLink} onClick={() => onPick(line.name)}>
              {fieldWord(t, line.name)}
            </UnstyledButton>
          ))}
        </div>
      )}
    </li>
  );
}

function fieldWord(t: TFunction<'translation'>, name: string): string {
  return t(`review.names.${name}` as 'review.names.vendor', name);
}
