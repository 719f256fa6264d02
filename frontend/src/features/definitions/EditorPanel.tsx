// The editor of a definition's text, next to the report of its check.
import { Group, Title } from '@mantine/core';
import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { failureMessage } from '../../lib/labels';
import { problemMessage } from '../../lib/problem-labels';
import { LoadingState, Notice } from '../../ui/states';
import { type LineMark, TextEditor, type TextEditorHandle } from '../../ui/TextEditor';
import classes from './definitions.module.css';
import { ProposeButton } from './ProposeButton';
import { findingsOf, lineOf, type Problem, type Report } from './processes';
import { ReportList } from './ReportList';
import { RestoredDraftNotice } from './RestoredDraftNotice';
import type { CheckState } from './use-check';
import type { DraftText } from './use-draft-text';
import type { Kind } from './version-commands';

interface EditorPanelProps {
  kind: Kind;
  label: string;
  draftKey: string;
  draft: DraftText;
  /** The text that is being changed. */
  baseText: string;
  /** The number of the newest version, 0 if there is none. */
  newest: number;
  state: CheckState<{ report: Report }>;
  /** The lines of the nodes or rules in the text. */
  nodes: readonly { id: string; line: number }[];
  /** Why the text cannot be proposed now; null if it can. */
  disabledReason: string | null;
  /** The problem that the page highlights. */
  chosen?: Problem | null;
  onChoose?: (problem: Problem) => void;
  /** The open proposal that the text changes; null for none. */
  replaces?: string | null;
}

export function EditorPanel(props: EditorPanelProps) {
  const { kind, label, draftKey, draft, baseText, newest, nodes, chosen, onChoose } = props;
  const { check, failure, current } = props.state;
  const { t, i18n } = useTranslation();
  const editor = useRef<TextEditorHandle>(null);
  // After a check that failed, the findings of an earlier text would be beside another one.
  const report = failure ? undefined : check?.report;
  const marks = useMemo<LineMark[]>(
    () =>
      (report ? findingsOf(report) : []).flatMap(({ gravity, problem }) => {
        const line = lineOf(problem, nodes);
        const tone = gravity === 'problem' ? 'bad' : 'warn';
        return line > 0 ? [{ line, tone, text: problemMessage(t, problem) }] : [];
      }),
    [report, nodes, t],
  );
  const choose = (problem: Problem, line: number) => {
    onChoose?.(problem);
    if (line > 0) editor.current?.goTo(line);
  };
  return (
    <>
      {draft.restored && <RestoredDraftNotice onDiscard={() => draft.change(baseText)} />}
      <div className={classes.editing}>
        <TextEditor
          handle={editor}
          label={label}
          value={draft.text}
          onChange={draft.change}
          marks={marks}
          invalid={report?.sound === false}
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
          {report ? (
            <ReportList
              kind={kind}
              report={report}
              nodes={nodes}
              chosen={chosen ?? null}
              onChoose={choose}
            />
          ) : (
            !failure && <LoadingState lines={3} />
          )}
          <Group mt="md" gap="xs">
            <ProposeButton
              kind={kind}
              disabledReason={props.disabledReason}
              text={draft.text}
              newest={newest}
              draftKey={draftKey}
              replaces={props.replaces ?? null}
              warnings={report?.warnings ?? []}
            />
          </Group>
        </section>
      </div>
    </>
  );
}
