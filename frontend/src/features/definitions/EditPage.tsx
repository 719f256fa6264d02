// The text of a process, checked and drawn as it is typed; then rehearsed on old cases, and proposed.
import { Group, Text, Title } from '@mantine/core';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { problemMessage } from '../../lib/problem-words';
import { failureMessage } from '../../lib/words';
import { drawingOf } from '../../ui/graph/process';
import { ProcessDiagram } from '../../ui/ProcessPicture';
import { ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { type LineMark, TextEditor, type TextEditorHandle } from '../../ui/TextEditor';
import { OneProcess } from './definitions.graphql';
import classes from './definitions.module.css';
import { KeptNotice } from './KeptNotice';
import { Propose } from './Propose';
import { found, lineOf, nameIn, type Problem } from './processes';
import { Rehearsal } from './Rehearsal';
import { ReportList } from './ReportList';
import { starter } from './starter';
import { useCheck } from './use-check';
import { useDraftText } from './use-draft-text';

export function EditPage() {
  const { t, i18n } = useTranslation();
  const { key } = useParams({ from: '/signed-in/definitions/$key/edit' });
  const { version } = useSearch({ from: '/signed-in/definitions/$key/edit' });
  const fresh = key === 'new';
  const [{ data, error }, again] = useQuery({
    query: OneProcess,
    variables: { key },
    pause: fresh,
  });
  const versions = data?.processDefinitions.nodes ?? [];
  const base = versions.find((one) => one.version === version) ?? versions[0];
  if (!fresh && !data) {
    return (
      <>
        <PageHeader title={key} />
        {error ? (
          <ErrorState error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
        ) : (
          <LoadingState lines={12} />
        )}
      </>
    );
  }
  const document = base?.document ?? data?.proposals.nodes[0]?.document ?? starter;
  const title = base ? nameIn(base.titles, i18n.language, base.title) : key;
  return (
    <>
      <PageHeader title={fresh ? t('definitions.new') : t('definitions.edit.title', { title })}>
        {t('definitions.edit.intro')}{' '}
        <Link to={fresh ? '/definitions' : '/definitions/$key'} params={{ key }}>
          {t('definitions.edit.back')}
        </Link>
      </PageHeader>
      <Editor
        key={`${key} ${base?.version ?? 0}`}
        draftKey={key}
        from={document}
        newest={versions[0]?.version ?? 0}
      />
    </>
  );
}

interface EditorProps {
  draftKey: string;
  /** The text that is changed. */
  from: string;
  /** Number of the newest version, 0 for none. */
  newest: number;
}

function Editor({ draftKey, from, newest }: EditorProps) {
  const { t, i18n } = useTranslation();
  const { text, change, restored } = useDraftText(draftKey, from);
  const { check, failure, current } = useCheck(text);
  const [chosen, setChosen] = useState<Problem | null>(null);
  const editor = useRef<TextEditorHandle>(null);
  const nodes = check?.graph?.nodes ?? [];
  const told =
    chosen && check && found(check.report).some(({ problem }) => problem === chosen)
      ? chosen
      : null;
  const drawing = useMemo(
    () =>
      check?.graph
        ? drawingOf(check.graph, {
            t,
            language: i18n.language,
            trace: told && { path: told.path, fault: told.node },
          })
        : null,
    [check?.graph, told, t, i18n.language],
  );
  const names = useMemo(
    () => new Map(drawing?.nodes.map(({ id, label }) => [id, label])),
    [drawing],
  );
  const marks = useMemo<LineMark[]>(
    () =>
      found(check?.report ?? nothing).flatMap(({ weight, problem }) => {
        const line = lineOf(problem, check?.graph?.nodes ?? []);
        return line > 0
          ? [
              {
                line,
                tone: weight === 'problem' ? 'bad' : 'warn',
                text: problemMessage(t, problem),
              },
            ]
          : [];
      }),
    [check, t],
  );
  const choose = (problem: Problem, line: number) => {
    setChosen(chosen === problem ? null : problem);
    if (line > 0) editor.current?.goTo(line);
  };
  const why =
    text === from
      ? t('definitions.edit.unchanged')
      : !current || !check
        ? t('definitions.edit.checking')
        : check.report.sound
          ? null
          : t('definitions.proposals.obstacle.unsound');
  return (
    <div className={classes.stack}>
      {restored && <KeptNotice onDiscard={() => change(from)} />}
      <div className={classes.editing}>
        <TextEditor
          handle={editor}
          label={t('definitions.edit.label')}
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
            <ReportList report={check.report} nodes={nodes} chosen={told} onChoose={choose} />
          ) : (
            !failure && <LoadingState lines={3} />
          )}
          <Group mt="md" gap="xs">
            <Propose kind="process" why={why} text={text} newest={newest} draftKey={draftKey} />
          </Group>
        </section>
      </div>
      {drawing && (
        <section className="cs-card" aria-labelledby="drawing">
          <Title order={2} id="drawing" mb="xs">
            {t('definitions.look.drawing')}
          </Title>
          {told && (
            <Text size="sm" mb="xs">
              {told.path.length > 0
                ? t('definitions.report.drawn')
                : t('definitions.report.drawnNode')}
            </Text>
          )}
          <ProcessDiagram
            drawing={drawing}
            label={t('definitions.picture', { title: check?.key ?? '' })}
          />
        </section>
      )}
      {newest > 0 && <Rehearsal text={text} ready={why === null} names={names} />}
    </div>
  );
}

const nothing = { sound: true, markings: 0, problems: [], warnings: [], understaffed: [] } as never;
