// The submitter answers the reviewer's questions, optionally with a new file, and resubmits the
// case.
import { Button, Group, Progress, Stack, Text, Textarea, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { ResubmitCaseInput } from '../../graphql/generated/bounds';
import { useResend } from '../../graphql/resend';
import { newKey } from '../../lib/keys';
import type { ChosenDocument } from '../../lib/supporting';
import { ButtonWithReason } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { Notice, RefusalAlert } from '../../ui/states';
import { SupportingFields } from '../../ui/supporting/SupportingFields';
import classes from './case.module.css';
import { addDocument, isLost, type Outcome, replaceFile, resubmit } from './commands';
import { FileChooser, useFileFault } from './forms';
import type { CaseData } from './IncidentPanel';
import { answerText, questionsOf } from './questions';

const documentKeys = new WeakMap<ChosenDocument, string>();

/** The same key for each attempt to add the document. */
function documentKey(document: ChosenDocument): string {
  const key = documentKeys.get(document) ?? newKey();
  documentKeys.set(document, key);
  return key;
}

/** `question` is the reviewer's text, one question per line; `returnedAt` is when it was asked. */
export function AnswerPanel({
  caseData,
  question,
  returnedAt,
  onChanged,
}: {
  caseData: CaseData;
  question: string | null;
  returnedAt: string | null;
  onChanged: () => void;
}) {
  const { t } = useTranslation();
  const client = useClient();
  const questions = questionsOf(question);
  const [answers, setAnswers] = useState<readonly string[]>([]);
  const [file, setFile] = useState<File | null>(null);
  const [documents, setDocuments] = useState<readonly ChosenDocument[]>([]);
  const [progress, setProgress] = useState(0);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>(null);
  const resend = useResend();
  const keys = useRef({ file: newKey(), answer: newKey() });
  const invalidFile = useFileFault(file);
  // Answers to an earlier return are shown as text, because they answer other questions.
  const [asked, setAsked] = useState({ returnedAt, question });
  const [earlier, setEarlier] = useState('');
  if (asked.returnedAt !== returnedAt && caseData.status === 'RETURNED') {
    const typed = answers.some((answer) => answer.trim() !== '');
    setAsked({ returnedAt, question });
    if (asked.question !== question) {
      if (typed) setEarlier(answerText(questionsOf(asked.question), answers));
      setAnswers([]);
    }
  }
  const permission = caseData.mayResubmit;

  const target = {
    caseId: caseData.id,
    expectedVersion: caseData.version,
    expectedStatus: 'RETURNED' as const,
  };
  // Each document that was accepted leaves the list, so a retry sends only the others.
  const addDocuments = async (): Promise<Outcome> => {
    for (const document of documents) {
      const refused = await addDocument(
        client,
        { ...target, expectedVersion: null, idempotencyKey: documentKey(document) },
        document,
        new AbortController().signal,
      );
      if (refused) return refused;
      setDocuments((left) => left.filter((one) => one !== document));
    }
    return null;
  };
  const send = async () => {
    setBusy(true);
    // The own file or document changes the version that the page has read.
    const answered = file || documents.length > 0 ? { ...target, expectedVersion: null } : target;
    let commandOutcome: Outcome = null;
    if (file) {
      commandOutcome = await replaceFile(
        client,
        { ...target, idempotencyKey: keys.current.file },
        file,
        setProgress,
        new AbortController().signal,
      );
      // The file was accepted, so a retry sends only the answer.
      if (commandOutcome === null) setFile(null);
    }
    commandOutcome ??= await addDocuments();
    commandOutcome ??= await resubmit(
      client,
      { ...answered, idempotencyKey: keys.current.answer },
      answerText(questions, answers),
      returnedAt,
    );
    if (commandOutcome === null) {
      setAnswers([]);
      setEarlier('');
    }
    // Only a command without a response is sent again with its key.
    if (commandOutcome === null || 'refusals' in commandOutcome)
      keys.current = { file: newKey(), answer: newKey() };
    setOutcome(commandOutcome);
    setBusy(false);
    onChanged();
    return isLost(commandOutcome);
  };
  const replaced = caseData.documents.length > 1;
  const prompts = questions.length > 1 ? questions : [t('case.answer.comment')];
  const unanswered = prompts.filter((_, index) => (answers[index] ?? '').trim() === '');
  const neededMessage = t(prompts.length > 1 ? 'case.answer.neededEach' : 'case.answer.needed');
  const supplied = file || replaced || documents.length > 0;
  const missingInput = unanswered.length > 0 && !supplied ? neededMessage : null;
  const setAnswer = (index: number, text: string) =>
    setAnswers(prompts.map((_, other) => (other === index ? text : (answers[other] ?? ''))));
  if (caseData.status !== 'RETURNED') {
    const discard = () => {
      setAnswers([]);
      setFile(null);
      setDocuments([]);
      setOutcome(null);
      keys.current = { file: newKey(), answer: newKey() };
    };
    const text = answerText(questions, answers);
    return busy ? null : <UnsentAnswer text={text} file={file} onDiscard={discard} />;
  }
  return (
    <section
      className={`cs-card ${classes.incident}`}
      data-state="returned"
      aria-labelledby="answer"
    >
      <Title order={2} id="answer">
        <Icon name="back" />{' '}
        {permission.allowed ? t('case.answer.title') : t('case.answer.waiting')}
      </Title>
      {question && (questions.length < 2 || !permission.allowed) && (
        <blockquote className={classes.question}>{question}</blockquote>
      )}
      {earlier !== '' && (
        <Notice tone="warn" icon="alert" live>
          <Text size="sm" fw={600}>
            {t('case.answer.askedAgain')}
          </Text>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            {earlier}
          </Text>
        </Notice>
      )}
      {permission.allowed ? (
        <Stack gap="sm">
          {prompts.map((prompt, index) => (
            <Textarea
              // biome-ignore lint/suspicious/noArrayIndexKey: two questions may be identical; their order is fixed
              key={index}
              label={prompt}
              autosize
              minRows={prompts.length > 1 ? 1 : 2}
              maxRows={10}
              maxLength={Math.max(
                Math.floor(ResubmitCaseInput.comment / prompts.length) - 200,
                200,
              )}
              value={answers[index] ?? ''}
              onChange={(event) => setAnswer(index, event.currentTarget.value)}
            />
          ))}
          <Text size="sm" fw={560}>
            {t('case.answer.file')}
          </Text>
          <FileChooser file={file} onFile={setFile} />
          {busy && file && (
            <Progress value={progress * 100} size="sm" aria-label={t('case.replace.progress')} />
          )}
          <SupportingFields
            declared={caseData.process.supportingDocuments}
            stored={caseData.supportingDocuments}
            chosen={documents}
            onChange={setDocuments}
          />
          {outcome && <RefusalAlert {...outcome} />}
          <Group>
            <ButtonWithReason
              disabledReason={invalidFile ? t('case.replace.needed') : missingInput}
              loading={busy}
              onClick={() => void resend(send)}
            >
              {t('case.answer.send')}
            </ButtonWithReason>
          </Group>
        </Stack>
      ) : (
        <Notice tone="calm">{t('caseLabels.next.resubmit')}</Notice>
      )}
    </section>
  );
}

interface UnsentAnswerProps {
  text: string;
  file: File | null;
  onDiscard: () => void;
}

/** What the user wrote before the document was resubmitted in another session. */
function UnsentAnswer({ text, file, onDiscard }: UnsentAnswerProps) {
  const { t } = useTranslation();
  if (text === '' && !file) return null;
  return (
    <Notice tone="warn" icon="alert" live>
      <Stack gap="sm">
        <Text size="sm">{t('case.answer.unsent')}</Text>
        {text !== '' && (
          <Textarea
            label={t('case.answer.unsentText')}
            value={text}
            readOnly
            autosize
            maxRows={10}
          />
        )}
        {file && <Text size="sm">{t('case.answer.unsentFile', { name: file.name })}</Text>}
        <Group>
          <Button variant="default" size="sm" onClick={onDiscard}>
            {t('case.answer.discard')}
          </Button>
        </Group>
      </Stack>
    </Notice>
  );
}
