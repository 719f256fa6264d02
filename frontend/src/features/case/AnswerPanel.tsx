// The submitter was asked something: the answer, with another file or without, sends the document in again.
import { Group, Progress, Stack, Text, Textarea, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { ResubmitCaseInput } from '../../graphql/generated/bounds';
import { newKey } from '../../lib/keys';
import { ButtonWithReason } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { Notice } from '../../ui/states';
import classes from './case.module.css';
import { type Outcome, replaceFile, sendBack } from './commands';
import { OneFile, useFileFault } from './forms';
import { Refused, type WholeCase } from './IncidentPanel';
import { answerText, questionsOf } from './questions';

/** `question` is what the reviewer wrote: one question a line. */
export function AnswerPanel({
  one,
  question,
  onChanged,
}: {
  one: WholeCase;
  question: string | null;
  onChanged: () => void;
}) {
  const { t } = useTranslation();
  const client = useClient();
  const questions = questionsOf(question);
  const [answers, setAnswers] = useState<readonly string[]>([]);
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>(null);
  const keys = useRef({ file: newKey(), answer: newKey() });
  const wrong = useFileFault(file);
  const may = one.mayResubmit;

  const send = async () => {
    setBusy(true);
    const once = { caseId: one.id, expectedVersion: one.version };
    let result: Outcome = null;
    if (file) {
      result = await replaceFile(
        client,
        { ...once, idempotencyKey: keys.current.file },
        file,
        setShare,
        new AbortController().signal,
      );
      // The file is in: a second attempt sends the answer alone.
      if (result === null) setFile(null);
    }
    result ??= await sendBack(
      client,
      { ...once, idempotencyKey: keys.current.answer },
      answerText(questions, answers),
    );
    if (result && 'refusals' in result) keys.current = { file: newKey(), answer: newKey() };
    setOutcome(result);
    setBusy(false);
    onChanged();
  };
  const replaced = one.documents.length > 1;
  const places = questions.length > 1 ? questions : [t('case.answer.comment')];
  const open = places.filter((_, index) => (answers[index] ?? '').trim() === '');
  const needed = t(places.length > 1 ? 'case.answer.neededEach' : 'case.answer.needed');
  const missing = open.length > 0 && !file && !replaced ? needed : null;
  const answer = (index: number, text: string) =>
    setAnswers(places.map((_, other) => (other === index ? text : (answers[other] ?? ''))));
  return (
    <section
      className={`cs-card ${classes.incident}`}
      data-state="returned"
      aria-labelledby="answer"
    >
      <Title order={2} id="answer">
        <Icon name="back" /> {may.allowed ? t('case.answer.title') : t('case.answer.waiting')}
      </Title>
      {question && (questions.length < 2 || !may.allowed) && (
        <blockquote className={classes.question}>{question}</blockquote>
      )}
      {may.allowed ? (
        <Stack gap="sm">
          {places.map((place, index) => (
            <Textarea
              // biome-ignore lint/suspicious/noArrayIndexKey: two questions may read alike, and their order is fixed
              key={index}
              label={place}
              autosize
              minRows={places.length > 1 ? 1 : 2}
              maxRows={10}
              maxLength={Math.max(Math.floor(ResubmitCaseInput.comment / places.length) - 200, 200)}
              value={answers[index] ?? ''}
              onChange={(event) => answer(index, event.currentTarget.value)}
            />
          ))}
          <Text size="sm" fw={560}>
            {t('case.answer.file')}
          </Text>
          <OneFile file={file} onFile={setFile} />
          {busy && file && (
            <Progress value={share * 100} size="sm" aria-label={t('case.replace.progress')} />
          )}
          {outcome && (
            <Refused
              refusals={'refusals' in outcome ? outcome.refusals : []}
              failure={'failure' in outcome ? outcome.failure : null}
            />
          )}
          <Group>
            <ButtonWithReason
              disabledReason={wrong ? t('case.replace.needed') : missing}
              loading={busy}
              onClick={() => void send()}
            >
              {t('case.answer.send')}
            </ButtonWithReason>
          </Group>
        </Stack>
      ) : (
        <Notice tone="calm">{t('life.next.resubmit')}</Notice>
      )}
    </section>
  );
}
