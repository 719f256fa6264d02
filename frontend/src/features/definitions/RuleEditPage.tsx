// The editor of a rule set: checks the text while typing, tries it on a case, and proposes it.
import { Group, Title } from '@mantine/core';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { failureMessage } from '../../lib/labels';
import { problemMessage } from '../../lib/problem-labels';
import { EmptyState, ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { type LineMark, TextEditor, type TextEditorHandle } from '../../ui/TextEditor';
import classes from './definitions.module.css';
import { ProposeButton } from './ProposeButton';
import { findingsOf, lineOf, localizedName } from './processes';
import { ReportList } from './ReportList';
import { RestoredDraftNotice } from './RestoredDraftNotice';
import { OneRuleSet } from './rules.graphql';
import { Trial } from './Trial';
import { useRulesCheck } from './use-check';
import { useDraftText } from './use-draft-text';

export function RuleEditPage() {
  const { t, i18n } = useTranslation();
  const { key } = useParams({ from: '/signed-in/rules/$key/edit' });
  const { version } = useSearch({ from: '/signed-in/rules/$key/edit' });
  const [{ data, error }, refetch] = useQuery({ query: OneRuleSet, variables: { key } });
  const versions = data?.ruleSets.nodes ?? [];
  const base = versions.find((one) => one.version === version) ?? versions[0];
  const title = base ? localizedName(base.titles, i18n.language, base.title) : key;
  return (
    <>
      <PageHeader title={t('definitions.edit.title', { title })}>
        {t('definitions.rules.editIntro')}{' '}
        <Link to="/rules/$key" params={{ key }}>
          {t('definitions.edit.back')}
        </Link>
      </PageHeader>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={12} />}
      {data && !base?.document && (
        <EmptyState icon="search" title={t('definitions.rules.gone')}>
          {t('definitions.goneText')}
        </EmptyState>
      )}
      {base?.document && (
        <Editor
          key={base.version}
          name={key}
          baseText={base.document}
          newest={versions[0]?.version ?? 0}
        />
      )}
    </>
  );
}

function Editor({ name, baseText, newest }: { name: string; baseText: string; newest: number }) {
  const { t, i18n } = useTranslation();
  const draftKey = `rules.${name}`;
  const { text, change, restored } = useDraftText(draftKey, baseText);
  const { check, failure, current } = useRulesCheck(text);
  const editor = useRef<TextEditorHandle>(null);
  const marks = useMemo<LineMark[]>(() => {
    if (!check) return [];
    return findingsOf(check.report).flatMap(({ gravity: weight, problem }) => {
      const line = lineOf(problem, check.rules);
      return line > 0
        ? [{ line, tone: weight === 'problem' ? 'bad' : 'warn', text: problemMessage(t, problem) }]
        : [];
    });
  }, [check, t]);
  const checkingMessage = !current || !check ? t('definitions.edit.checking') : null;
  const unsoundMessage =
    check && !check.report.sound ? t('definitions.proposals.obstacle.unsound') : null;
  const disabledReason =
    text === baseText ? t('definitions.edit.unchanged') : (checkingMessage ?? unsoundMessage);
  return (
    <div className={classes.stack}>
      {restored && <RestoredDraftNotice onDiscard={() => change(baseText)} />}
      <div className={classes.editing}>
        <TextEditor
          handle={editor}
          label={t('definitions.rules.label')}
          value={text}
          onChange={change}
          marks={marks}
          invalid={check?.report.sound === false}
        />
        <section
          className={`cs-card ${classes.findings}`}
          aria-labelledby="report"
          aria-busy={!current}
        >
          <Title order={2} id="report" mb="xs">
            {t('definitions.report.title')}
          </Title>
          {failure && (
            <Notice tone="warn">{failureMessage(t, i18n.language, failure).message}</Notice>
          )}
          {check ? (
            <ReportList
              kind="rules"
              report={check.report}
              nodes={check.rules}
              onChoose={(_, line) => line > 0 && editor.current?.goTo(line)}
            />
          ) : (
            !failure && <LoadingState lines={3} />
          )}
          <Group mt="md" gap="xs">
            <ProposeButton
              kind="rules"
              disabledReason={disabledReason}
              text={text}
              newest={newest}
              draftKey={draftKey}
            />
          </Group>
        </section>
      </div>
      <Trial text={text} obstacle={checkingMessage ?? unsoundMessage} />
    </div>
  );
}
