// What is known of a case: its values and where each came from, what the rules found, its files, decisions, its chain.
import { Button, Group, Text, Title, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { VerifyCaseQuery } from '../../graphql/generated/graphql';
import { shareText, sizeText } from '../../lib/format';
import { groupedAmount } from '../../lib/money';
import { type Failure, failureOf } from '../../lib/refusals';
import { hasRole, usePerson } from '../../lib/session';
import { fieldWords, findingSentence, findingTitle } from '../../lib/words';
import { Icon } from '../../ui/Icon';
import { Badge, type Tone } from '../../ui/StatusBadge';
import { ErrorState, Notice } from '../../ui/states';
import { PersonName, When } from '../../ui/values';
import { VerifyCase } from './case.graphql';
import classes from './case.module.css';
import type { WholeCase } from './IncidentPanel';

export function Part({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section className={`cs-card ${classes.part}`} aria-labelledby={id}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {children}
    </section>
  );
}

export function Fields({ one }: { one: WholeCase }) {
  const { t, i18n } = useTranslation();
  // Before anything was read there is nothing to miss.
  const read = one.fieldForm.some((line) => line.field !== null);
  const lines = one.fieldForm.filter((line) => line.field !== null || (read && line.required));
  return (
    <Part id="fields" title={t('case.fields.title')}>
      {lines.length === 0 && <Text c="dimmed">{t('case.fields.none')}</Text>}
      <ul className={classes.fields}>
        {lines.map((line) => (
          <li key={line.name} className={classes.field} data-doubt={line.needsPerson || undefined}>
            <Text size="sm" c="dimmed">
              {fieldWords(t, line.name)}
            </Text>
            <div className={classes.value}>
              <Value line={line} language={i18n.language} />
              {line.doubts.map((doubt) => (
                <Badge key={doubt} tone="warn" icon="alert">
                  {t(`case.doubts.${doubt}`)}
                </Badge>
              ))}
            </div>
            <Source field={line.field} language={i18n.language} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

type Line = WholeCase['fieldForm'][number];

function Value({ line, language }: { line: Line; language: string }) {
  const { t } = useTranslation();
  const { field } = line;
  if (!field) return <Text c="dimmed">{t('case.fields.missing')}</Text>;
  const value = line.type === 'MONEY' ? groupedAmount(field.normalised, language) : field.normalised;
  return (
    <Text
      fw={560}
      title={field.raw && field.raw !== field.normalised ? t('case.fields.raw', { raw: field.raw }) : undefined}
    >
      {value || field.raw}
    </Text>
  );
}

function Source({ field, language }: { field: Line['field']; language: string }) {
  const { t } = useTranslation();
  if (!field) return <span />;
  const certain = field.source === 'HUMAN' || field.source === 'DECLARED' || field.source === 'XML';
  return (
    <Text size="xs" c="dimmed" className={classes.source}>
      {t(`case.sources.${field.source}`)}
      {field.page > 0 && ` · ${t('ui.page', { number: field.page })}`}
      {!certain && (
        <Tooltip label={t('case.fields.confidence')}>
          <span className="cs-numbers"> · {shareText(field.confidence, language)}</span>
        </Tooltip>
      )}
    </Text>
  );
}

const severity: Record<string, Tone> = { BLOCKING: 'bad', WARNING: 'warn', INFO: 'calm' };

export function Findings({ one }: { one: WholeCase }) {
  const { t, i18n } = useTranslation();
  return (
    <Part id="findings" title={t('case.findings.title')}>
      {one.findings.length === 0 && <Text c="dimmed">{t('case.findings.none')}</Text>}
      <ul className={classes.plain}>
        {one.findings.map((finding) => (
          <li key={`${finding.rule} ${finding.message}`} className={classes.finding}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Badge tone={severity[finding.severity] ?? 'calm'} icon={finding.severity === 'INFO' ? 'check' : 'alert'}>
                {t(`case.severity.${finding.severity}`)}
              </Badge>
              <Text size="sm" fw={600} style={{ flex: 1 }}>
                {findingTitle(i18n.language, finding)}
              </Text>
              {finding.score > 0 && (
                <Text size="sm" c="dimmed" className="cs-numbers">
                  {t('case.findings.points', { count: finding.score })}
                </Text>
              )}
            </Group>
            <Text size="sm">{findingSentence(i18n.language, finding)}</Text>
            {finding.evidence.some(({ name }) => name !== 'fields') && (
              <Text size="xs" c="dimmed" className="cs-lines2">
                {finding.evidence
                  .filter(({ name }) => name !== 'fields')
                  .map(({ name, value }) => `${fieldWords(t, name)}: ${value}`)
                  .join(' · ')}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </Part>
  );
}

export function Documents({ one }: { one: WholeCase }) {
  const { t, i18n } = useTranslation();
  return (
    <Part id="documents" title={t('case.documents.title')}>
      <ul className={classes.plain}>
        {one.documents.map((document) => (
          <li key={document.revision} className={classes.document}>
            <Icon name="file" />
            <div style={{ minWidth: 0 }}>
              <a href={document.path} target="_blank" rel="noreferrer" className="cs-lines2" title={document.fileName}>
                {document.fileName}
              </a>
              <Text size="xs" c="dimmed">
                {t('case.documents.line', {
                  revision: document.revision,
                  type: document.mediaType,
                  size: sizeText(Number(document.size), i18n.language),
                })}{' '}
                · <When iso={document.createdAt} as="moment" />
              </Text>
              <Text size="xs" c="dimmed" className={`cs-mono cs-clip ${classes.hash}`} title={document.sha256}>
                {t('case.documents.hash', { hash: document.sha256 })}
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </Part>
  );
}

const verdicts: Record<string, Tone> = { APPROVE: 'good', REJECT: 'bad', RETURN: 'warn', ESCALATE: 'busy' };

export function Decisions({ one }: { one: WholeCase }) {
  const { t } = useTranslation();
  if (one.decisions.length === 0) return null;
  return (
    <Part id="decisions" title={t('case.decisions.title')}>
      <ul className={classes.plain}>
        {one.decisions.map((decision) => (
          <li key={decision.at} className={classes.finding}>
            <Group gap="xs">
              <Badge tone={verdicts[decision.verdict] ?? 'calm'}>{t(`case.verdicts.${decision.verdict}`)}</Badge>
              <Text size="sm">
                <PersonName person={decision.actor} fallback={t('case.decisions.reviewer')} />
                {decision.onBehalfOf && ` (${t('case.decisions.for', { name: decision.onBehalfOf.name })})`}
              </Text>
              <Text size="xs" c="dimmed">
                <When iso={decision.at} as="moment" />
              </Text>
            </Group>
            {decision.reason && <Text size="sm">{decision.reason}</Text>}
          </li>
        ))}
      </ul>
    </Part>
  );
}

type Verdict = VerifyCaseQuery['verifyAudit'];

/** The case's log as a chain of hashes, and the proof that nobody has touched it. */
export function ChainState({ one }: { one: WholeCase }) {
  const { t } = useTranslation();
  const client = useClient();
  const auditor = hasRole(usePerson(), 'auditor');
  const [asking, setAsking] = useState(false);
  const [answer, setAnswer] = useState<Verdict | Failure | null>(null);
  if (!one.chain) return null;
  const verify = async () => {
    setAsking(true);
    const { data, error } = await client
      .query(VerifyCase, { id: one.id }, { requestPolicy: 'network-only' })
      .toPromise();
    setAsking(false);
    setAnswer(error ? failureOf(error) : (data?.verifyAudit ?? null));
  };
  return (
    <Part id="chain" title={t('case.chain.title')}>
      <Text size="sm">{t('case.chain.length', { count: Number(one.chain.length) })}</Text>
      <Text size="xs" c="dimmed" className={`cs-mono cs-clip ${classes.hash}`} title={one.chain.head}>
        {t('case.chain.head', { hash: one.chain.head })}
      </Text>
      {auditor && (
        <Button
          variant="default"
          size="compact-sm"
          loading={asking}
          leftSection={<Icon name="shield" size={16} />}
          onClick={() => void verify()}
          mt="xs"
        >
          {t('case.chain.verify')}
        </Button>
      )}
      {answer && 'code' in answer && <ErrorState error={answer} onRetry={() => void verify()} />}
      {answer && 'ok' in answer && (
        <Notice tone={answer.ok ? 'good' : 'bad'} icon={answer.ok ? 'done' : 'alert'} live>
          {answer.ok
            ? t('case.chain.holds', { count: Number(answer.events) })
            : answer.problems.map((one) => `${one.seq ?? ''} ${one.problem}`).join('; ')}
        </Notice>
      )}
    </Part>
  );
}
