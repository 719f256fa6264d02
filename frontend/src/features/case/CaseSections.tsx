// The sections of the case page: fields with their sources, findings, documents, decisions and hash
// chain.
import { Button, Group, Text, Title, Tooltip, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import type { VerifyCaseQuery } from '../../graphql/generated/graphql';
import { evidenceText } from '../../lib/evidence';
import { choiceLabel, labelIn } from '../../lib/field-labels';
import { listOf, rightText, sizeText } from '../../lib/format';
import { fieldLabel, findingSentence, findingTitle } from '../../lib/labels';
import { type Failure, failureOf } from '../../lib/refusals';
import { hasRole, usePerson } from '../../lib/session';
import { shownText } from '../../lib/value-text';
import { Icon } from '../../ui/Icon';
import { Suggestion } from '../../ui/model/Suggestion';
import { ReferencedText } from '../../ui/ReferencedText';
import { Signature } from '../../ui/Signature';
import { Badge, type Tone } from '../../ui/StatusBadge';
import { SumLink } from '../../ui/SumLink';
import { ErrorState, Notice } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import { VerifyCase } from './case.graphql';
import classes from './case.module.css';
import { DecisionEvidence } from './decisions.graphql';
import type { CaseData } from './IncidentPanel';

export function Section({
  id,
  title,
  children,
}: {
  id: string;
  title: string;
  children: ReactNode;
}) {
  return (
    <section className={`cs-card ${classes.section}`} aria-labelledby={id}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {children}
    </section>
  );
}

export function Fields({
  caseData,
  onHistory,
}: {
  caseData: CaseData;
  onHistory: (field: string) => void;
}) {
  const { t, i18n } = useTranslation();
  // Before the document was read, no field is missing.
  const read = caseData.fieldForm.some((line) => line.field !== null);
  const suggestionOf = (name: string) => caseData.suggestions.find(({ field }) => field === name);
  const lines = caseData.fieldForm.filter(
    (line) => line.field !== null || (read && line.required) || suggestionOf(line.name),
  );
  return (
    <Section id="fields" title={t('case.fields.title')}>
      {lines.length === 0 && <Text c="dimmed">{t('case.fields.none')}</Text>}
      <ul className={classes.fields}>
        {lines.map((line) => (
          <li key={line.name} className={classes.field} data-doubt={line.needsPerson || undefined}>
            <Text size="sm" c="dimmed">
              {labelIn(i18n.language, line)}
            </Text>
            <div className={classes.value}>
              <Value line={line} language={i18n.language} />
              {line.doubts.map((doubt) => (
                <Badge key={doubt} tone="warn" icon="alert">
                  {t(`case.doubts.${doubt}`)}
                </Badge>
              ))}
            </div>
            <div className={classes.origin}>
              <Source field={line.field} language={i18n.language} />
              <UnstyledButton
                className={classes.history}
                onClick={() => onHistory(line.name)}
                aria-label={t('differences.history.openWhat', {
                  name: labelIn(i18n.language, line),
                })}
              >
                <Icon name="clock" size={14} />
              </UnstyledButton>
            </div>
            <CaseSuggestion caseData={caseData} line={line} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What a language model suggests for the field, apart from its value. */
function CaseSuggestion({ caseData, line }: { caseData: CaseData; line: Line }) {
  const { i18n } = useTranslation();
  const suggestion = caseData.suggestions.find(({ field }) => field === line.name);
  if (!suggestion) return null;
  return (
    <div className={classes.suggestion}>
      <Suggestion
        name={labelIn(i18n.language, line)}
        field={line.name}
        value={suggestion.value}
        currency={caseData.amount?.currency ?? caseData.declaredAmount?.currency ?? null}
      />
    </div>
  );
}

type Line = CaseData['fieldForm'][number];

function Value({ line, language }: { line: Line; language: string }) {
  const { t } = useTranslation();
  const { field } = line;
  if (!field) return <Text c="dimmed">{t('case.fields.missing')}</Text>;
  const text = shownText(line.type, field.normalised, language, line.name);
  const value = choiceLabel(t, language, line, text);
  return (
    <Text
      fw={560}
      title={
        field.raw && field.raw !== field.normalised
          ? t('case.fields.raw', { raw: field.raw })
          : undefined
      }
    >
      {value || field.raw}
    </Text>
  );
}

function Source({ field, language }: { field: Line['field']; language: string }) {
  const { t } = useTranslation();
  if (!field) return <span />;
  // The confidence of every value of a language model is the same, so it says nothing about this one.
  const measured = !['HUMAN', 'DECLARED', 'XML', 'LLM'].includes(field.source);
  return (
    <Text size="xs" c="dimmed" className={classes.source}>
      {t(`caseLabels.sources.${field.source}`)}
      {field.page > 0 && ` · ${t('ui.page', { number: field.page })}`}
      {measured && (
        <Tooltip label={t('case.fields.confidence')}>
          <span className="cs-numbers"> · {rightText(field.confidence, language)}</span>
        </Tooltip>
      )}
    </Text>
  );
}

const severityTones: Record<string, Tone> = { BLOCKING: 'bad', WARNING: 'warn', INFO: 'calm' };

export function Findings({ caseData }: { caseData: CaseData }) {
  const { t, i18n } = useTranslation();
  return (
    <Section id="findings" title={t('case.findings.title')}>
      {caseData.findings.length === 0 && (
        <Text c="dimmed">
          {t(caseData.assessed ? 'case.findings.none' : 'caseLabels.notAssessed')}
        </Text>
      )}
      <ul className={classes.plain}>
        {caseData.findings.map((finding) => (
          <li key={`${finding.rule} ${finding.message}`} className={classes.finding}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Badge
                tone={severityTones[finding.severity] ?? 'calm'}
                icon={finding.severity === 'INFO' ? 'check' : 'alert'}
              >
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
            <Text size="sm">
              <ReferencedText text={findingSentence(i18n.language, finding)} />{' '}
              <SumLink caseId={caseData.id} finding={finding} />
            </Text>
            {evidenceText(t, i18n.language, finding.evidence) !== '' && (
              <Text size="xs" c="dimmed" className="cs-lines2">
                <ReferencedText text={evidenceText(t, i18n.language, finding.evidence)} />
              </Text>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Documents({ caseData }: { caseData: CaseData }) {
  const { t, i18n } = useTranslation();
  return (
    <Section id="documents" title={t('case.documents.title')}>
      <ul className={classes.plain}>
        {caseData.documents.map((document) => (
          <li key={document.revision} className={classes.document}>
            <Icon name="file" />
            <div style={{ minWidth: 0 }}>
              <a
                href={document.path}
                target="_blank"
                rel="noreferrer"
                className="cs-lines2"
                title={document.fileName}
              >
                {document.fileName}
              </a>
              <Text size="xs" c="dimmed">
                {t('case.documents.line', {
                  revision: document.revision,
                  type: document.mediaType,
                  size: sizeText(Number(document.size), i18n.language),
                })}{' '}
                · <Timestamp iso={document.createdAt} as="moment" />
                {document.archiveCopyPath && (
                  <>
                    {' '}
                    ·{' '}
                    <a
                      href={document.archiveCopyPath}
                      download
                      title={t('case.documents.copyHint')}
                      aria-label={t('case.documents.copyOf', { name: document.fileName })}
                    >
                      {t('case.documents.copy')}
                    </a>
                  </>
                )}
              </Text>
              <Text
                size="xs"
                c="dimmed"
                className={`cs-mono cs-clip ${classes.hash}`}
                title={document.sha256}
              >
                {t('case.documents.hash', { hash: document.sha256 })}
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const verdictTones: Record<string, Tone> = {
  APPROVE: 'good',
  REJECT: 'bad',
  RETURN: 'warn',
  ESCALATE: 'busy',
};

/** By the time of a decision: the fields that no person had checked then, and whether the vote still counts. */
function useEvidence(caseData: CaseData) {
  const [{ data }, reload] = useQuery({
    query: DecisionEvidence,
    variables: { id: caseData.id },
    pause: caseData.decisions.length === 0,
    requestPolicy: 'cache-and-network',
  });
  // A vote can be revoked without another decision.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that the case has changed
  useEffect(() => {
    if (caseData.decisions.length > 0) reload({ requestPolicy: 'network-only' });
  }, [caseData.version]);
  return new Map(
    (data?.case?.decisions ?? []).map(({ at, evidence, revoked }) => {
      const { unchecked = [] } = (evidence ?? {}) as { unchecked?: readonly string[] };
      return [at, { unchecked, revoked }];
    }),
  );
}

export function Decisions({ caseData }: { caseData: CaseData }) {
  const { t, i18n } = useTranslation();
  const evidence = useEvidence(caseData);
  if (caseData.decisions.length === 0) return null;
  return (
    <Section id="decisions" title={t('case.decisions.title')}>
      <ul className={classes.plain}>
        {caseData.decisions.map((decision) => (
          <li key={decision.at} className={classes.finding}>
            <Group gap="xs">
              <Badge tone={verdictTones[decision.verdict] ?? 'calm'}>
                {t(`case.verdicts.${decision.verdict}`)}
              </Badge>
              {evidence.get(decision.at)?.revoked && (
                <Badge tone="warn">{t('case.decisions.revoked')}</Badge>
              )}
              <Text size="sm">
                <PersonName person={decision.actor} fallback={t('case.decisions.reviewer')} />
                {decision.onBehalfOf &&
                  ` (${t('case.decisions.for', { name: decision.onBehalfOf.name })})`}
              </Text>
              <Text size="xs" c="dimmed">
                <Timestamp iso={decision.at} as="moment" />
              </Text>
            </Group>
            {decision.reason && <Text size="sm">{decision.reason}</Text>}
            {decision.verdict === 'APPROVE' &&
              (evidence.get(decision.at)?.unchecked.length ?? 0) > 0 && (
                <Text size="sm" c="var(--cs-warn)">
                  {t('case.decisions.unchecked', {
                    fields: listOf(
                      i18n.language,
                      (evidence.get(decision.at)?.unchecked ?? []).map((name) =>
                        fieldLabel(t, name),
                      ),
                    ),
                  })}
                </Text>
              )}
            <Signature signature={decision.signature} at={decision.at} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Verdict = VerifyCaseQuery['verifyAudit'];

/** The hash chain of the case's event log, with its verification. */
export function ChainState({ caseData }: { caseData: CaseData }) {
  const { t } = useTranslation();
  const client = useClient();
  const auditor = hasRole(usePerson(), 'auditor');
  const [verifying, setVerifying] = useState(false);
  const [result, setResult] = useState<Verdict | Failure | null>(null);
  if (!caseData.chain) return null;
  const verify = async () => {
    setVerifying(true);
    const { data, error } = await client
      .query(VerifyCase, { id: caseData.id }, { requestPolicy: 'network-only' })
      .toPromise();
    setVerifying(false);
    setResult(error ? failureOf(error) : (data?.verifyAudit ?? null));
  };
  return (
    <Section id="chain" title={t('case.chain.title')}>
      <Text size="sm">{t('case.chain.length', { count: Number(caseData.chain.length) })}</Text>
      <Text
        size="xs"
        c="dimmed"
        className={`cs-mono cs-clip ${classes.hash}`}
        title={caseData.chain.head}
      >
        {t('case.chain.head', { hash: caseData.chain.head })}
      </Text>
      {auditor && (
        <Button
          variant="default"
          size="compact-sm"
          loading={verifying}
          leftSection={<Icon name="shield" size={16} />}
          onClick={() => void verify()}
          mt="xs"
        >
          {t('case.chain.verify')}
        </Button>
      )}
      {result && 'code' in result && <ErrorState error={result} onRetry={() => void verify()} />}
      {result && 'ok' in result && (
        <Notice tone={result.ok ? 'good' : 'bad'} icon={result.ok ? 'done' : 'alert'} live>
          {result.ok
            ? t('case.chain.holds', { count: Number(result.events) })
            : result.problems
                .map((caseData) => `${caseData.seq ?? ''} ${caseData.problem}`)
                .join('; ')}
        </Notice>
      )}
    </Section>
  );
}
