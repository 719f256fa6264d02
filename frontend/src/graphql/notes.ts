// The notes of a case, live, and the commands about them.
import { useEffect, useRef, useState } from 'react';
import { useClient, useQuery, useSubscription } from 'urql';
import { newKey } from '../lib/keys';
import { type Failure, failureOf, type Refusal } from '../lib/refusals';
import { useSignedIn } from '../lib/session';
import { useCommand } from './command';
import { whenConnected } from './connection';
import type { NoteAudience, NoteLinesFragment } from './generated/graphql';
import { AddNote, CaseNotes, NoteReaders, WatchCase, Watched, WithdrawNote } from './notes.graphql';
import { sendUpload } from './upload';
import { useResubscribe } from './use-resubscribe';

export type NoteLine = NoteLinesFragment['nodes'][number];

export interface NoteInput {
  text: string;
  audience: NoteAudience;
  mentions: string[];
  files: File[];
}

/** How many notes are shown at first, and at most. */
const pages = [20, 100] as const;

export function useNotes(caseId: string) {
  const client = useClient();
  const signedIn = useSignedIn();
  const [last, setLast] = useState<number>(pages[0]);
  const [{ data, error }, resubscribe] = useSubscription({
    query: CaseNotes,
    variables: { caseId, last },
    pause: !signedIn,
  });
  useResubscribe(error, resubscribe);
  const [kept, setKept] = useState<NoteLinesFragment | null>(null);
  const list = data?.caseNotes;
  useEffect(() => {
    if (list) setKept(list);
  }, [list]);
  const adding = useAddNote(caseId);
  const withdrawal = useCommand(WithdrawNote, (answer) => answer.withdrawNote);
  return {
    list: kept,
    failure: error && !kept ? failureOf(error) : null,
    earlier: kept?.hasEarlier && last < pages[1] ? () => setLast(pages[1]) : null,
    adding,
    withdrawal,
    withdraw: (noteId: string) => void withdrawal.run({ noteId }),
    readers: async (audience: NoteAudience, text: string) => {
      const answer = await client
        .query(NoteReaders, { caseId, audience, text }, { requestPolicy: 'network-only' })
        .toPromise();
      return answer.data?.noteReaders ?? [];
    },
    watching: useWatching(caseId),
  };
}

export type Notes = ReturnType<typeof useNotes>;

/** Adds a note. Without an answer, the next attempt with the same content has the same key. */
function useAddNote(caseId: string) {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [failure, setFailure] = useState<Failure | null>(null);
  const sent = useRef<{ input: NoteInput; key: string } | null>(null);
  const send = async (input: NoteInput): Promise<boolean> => {
    if (!sent.current || !sameNote(sent.current.input, input))
      sent.current = { input, key: newKey() };
    const { files, ...rest } = input;
    const variables = { input: { ...rest, caseId, idempotencyKey: sent.current.key } };
    setBusy(true);
    let refused: readonly Refusal[] | undefined;
    let failed: Failure | null = null;
    const [first] = files;
    if (first) {
      const answer = await sendUpload(
        AddNote,
        { input: { ...variables.input, attachments: files.map(() => null) as unknown as File[] } },
        { at: 'input.attachments', file: first, files, signal: new AbortController().signal },
      );
      if ('data' in answer) refused = answer.data.addNote.userErrors;
      else failed = answer.failure;
    } else {
      const answer = await client.mutation(AddNote, variables).toPromise();
      refused = answer.data?.addNote.userErrors;
      failed = answer.error ? failureOf(answer.error) : null;
    }
    setBusy(false);
    if (refused) sent.current = null;
    setRefusals(refused ?? []);
    setFailure(failed);
    return refused?.length === 0;
  };
  return { busy, refusals, failure, send, caseId, whenConnected };
}

function sameNote(a: NoteInput, b: NoteInput): boolean {
  return (
    a.text === b.text &&
    a.audience === b.audience &&
    a.mentions.join() === b.mentions.join() &&
    a.files.length === b.files.length &&
    a.files.every((file, i) => file === b.files[i])
  );
}

function useWatching(caseId: string) {
  const [{ data }] = useQuery({ query: Watched, variables: { id: caseId } });
  const command = useCommand(WatchCase, (answer) => answer.watchCase);
  const watched = data?.case?.watched ?? null;
  return { ...command, watched, toggle: () => void command.run({ caseId, watch: !watched }) };
}
