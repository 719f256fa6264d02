// Reads a BPMN 2.0 file as the text of a process, and lists what cannot be run, is not kept or is missing.
import { Button, FileButton, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { ImportBpmnQuery } from '../../graphql/generated/graphql';
import { failureMessage } from '../../lib/labels';
import { problemMessage } from '../../lib/problem-labels';
import { type Failure, failureOf } from '../../lib/refusals';
import { Notice } from '../../ui/states';
import { ImportBpmn } from './bpmn.graphql';
import classes from './definitions.module.css';

/** The characters that a file may have, as in the schema. */
const longestFile = 200_000;

type Result = ImportBpmnQuery['importBpmn'];

export function BpmnImport({ onText }: { onText: (text: string) => void }) {
  const { t, i18n } = useTranslation();
  const client = useClient();
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | 'long' | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const read = async (file: File | null) => {
    if (!file) return;
    setName(file.name);
    setResult(null);
    const text = await file.text();
    if (text.length > longestFile) {
      setFailure('long');
      return;
    }
    setBusy(true);
    const { data, error } = await client
      .query(ImportBpmn, { file: text }, { requestPolicy: 'network-only' })
      .toPromise();
    setBusy(false);
    setFailure(error ? failureOf(error) : null);
    setResult(data?.importBpmn ?? null);
    if (data?.importBpmn.document) onText(data.importBpmn.document);
  };
  return (
    <section className="cs-card" aria-labelledby="bpmn">
      <Group justify="space-between">
        <Title order={2} id="bpmn">
          {t('bpmn.title')}
        </Title>
        <FileButton
          accept=".bpmn,.xml,application/xml,text/xml"
          onChange={(file) => void read(file)}
        >
          {(props) => (
            <Button {...props} variant="default" size="xs" loading={busy}>
              {t('bpmn.import')}
            </Button>
          )}
        </FileButton>
      </Group>
      <Text size="sm">{t('bpmn.hint')}</Text>
      <div role="status">
        {failure && (
          <Notice tone="warn">
            {failure === 'long'
              ? t('bpmn.long', { name, most: longestFile.toLocaleString(i18n.language) })
              : failureMessage(t, i18n.language, failure).message}
          </Notice>
        )}
        {result && (
          <Notice tone={result.document === null ? 'bad' : 'good'}>
            {t(result.document === null ? 'bpmn.refused' : 'bpmn.done', { name })}
          </Notice>
        )}
      </div>
      {result && <ProblemsByElement title={t('bpmn.refusedTitle')} problems={result.refused} />}
      {result && <ProblemsByElement title={t('bpmn.notesTitle')} problems={result.notes} />}
    </section>
  );
}

function ProblemsByElement({ title, problems }: { title: string; problems: Result['refused'] }) {
  const { t } = useTranslation();
  if (problems.length === 0) return null;
  return (
    <>
      <Title order={3} size="h5" mt="sm">
        {title}
      </Title>
      <ul className={classes.problems}>
        {problems.map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is never reordered, and a problem can occur twice
          <li key={index}>
            {problem.node && <span className="cs-mono">{problem.node}</span>}{' '}
            <span>{problemMessage(t, problem)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
