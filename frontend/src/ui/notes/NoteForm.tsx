// The form for a note: text, readers, mentions and files.
import { Button, NativeSelect, Text, Textarea, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dropNote, loadNote, saveNote } from '../../lib/note-draft';
import { mentionAt, withMention } from '../../lib/note-text';
import type { Failure, Refusal } from '../../lib/refusals';
import { usePerson } from '../../lib/session';
import { Icon } from '../Icon';
import { RefusalAlert } from '../states';
import type { Audience } from './NotesPanel';
import classes from './notes.module.css';

interface Person {
  id: string;
  name: string;
}

export interface NoteFormProps {
  writes: readonly Audience[];
  maxLength: number;
  adding: {
    busy: boolean;
    /** The case to which the note belongs. */
    caseId: string;
    refusals: readonly Refusal[];
    failure: Failure | null;
    send: (input: {
      text: string;
      audience: Audience;
      mentions: string[];
      files: File[];
    }) => Promise<boolean>;
    /** Calls the listener once when the connection is back; returns how to stop that. */
    whenConnected: (listener: () => void) => () => void;
  };
  readers: (audience: Audience, text: string) => Promise<readonly Person[]>;
}

const maxFiles = 5;

export function NoteForm({ writes, adding, readers, maxLength }: NoteFormProps) {
  const { t } = useTranslation();
  const area = useRef<HTMLTextAreaElement>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const owner = usePerson()?.id ?? '';
  const [{ text, audience, mentioned }, setNote] = useState(
    () =>
      loadNote(owner, adding.caseId, writes) ?? {
        text: '',
        audience: writes[0] ?? ('EVERYONE' as const),
        mentioned: [] as readonly Person[],
      },
  );
  const change = (
    next: Partial<{ text: string; audience: Audience; mentioned: readonly Person[] }>,
  ) => {
    const note = { text, audience, mentioned, ...next };
    setNote(note);
    saveNote(owner, adding.caseId, note);
  };
  const [files, setFiles] = useState<readonly File[]>([]);
  const [typed, setTyped] = useState<string | null>(null);
  const found = useReaders(readers, audience, typed);
  const [active, setActive] = useState(0);
  const chosen = found[Math.min(active, found.length - 1)];
  const listId = useId();
  const named = mentioned.filter(({ name }) => text.includes(`@${name}`));
  const send = async () => {
    if (adding.busy || text.trim() === '') return;
    const mentions = named.map(({ id }) => id);
    if (!(await adding.send({ text, audience, mentions, files: [...files] }))) return;
    dropNote(owner, adding.caseId, text);
    setNote({ text: '', audience, mentioned: [] });
    setFiles([]);
    setTyped(null);
  };
  useSendAgain(adding, JSON.stringify([text, audience, named, files.length]), send);
  const pick = (person: Person) => {
    const caret = area.current?.selectionStart ?? text.length;
    const [next, at] = withMention(text, caret, person.name);
    change({
      text: next,
      mentioned: [...mentioned.filter(({ id }) => id !== person.id), person],
    });
    setTyped(null);
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(at, at);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send();
      return;
    }
    if (found.length === 0) return;
    const person = chosen;
    if (event.key === 'ArrowDown') setActive((active + 1) % found.length);
    else if (event.key === 'ArrowUp') setActive((active + found.length - 1) % found.length);
    else if (event.key === 'Escape') setTyped(null);
    else if (event.key === 'Enter' && person) pick(person);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Textarea
        ref={area}
        data-page-action={t('notes.label')}
        label={t('notes.label')}
        placeholder={t('notes.placeholder')}
        description={t('notes.count', { count: text.length, most: maxLength })}
        inputWrapperOrder={['label', 'input', 'description']}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={maxLength}
        value={text}
        aria-controls={found.length > 0 ? listId : undefined}
        onChange={(event) => {
          change({ text: event.currentTarget.value });
          setTyped(mentionAt(event.currentTarget.value, event.currentTarget.selectionStart));
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <span className="cs-visually-hidden" role="status">
        {chosen &&
          t('notes.choosing', {
            name: chosen.name,
            at: found.indexOf(chosen) + 1,
            count: found.length,
          })}
      </span>
      {found.length > 0 && (
        <ul
          id={listId}
          className={`${classes.list} ${classes.people}`}
          aria-label={t('notes.people')}
        >
          {found.map((person, i) => (
            <li key={person.id}>
              <UnstyledButton
                className={classes.person}
                data-active={found[i] === chosen}
                onClick={() => pick(person)}
              >
                {person.name}
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
      {named.length > 0 && (
        <Text size="xs" c="dimmed" className={classes.text} role="status">
          {t('notes.mentions', { names: named.map(({ name }) => name).join(', ') })}
        </Text>
      )}
      <NoteFiles files={files} onRemove={(i) => setFiles(files.filter((_, at) => at !== i))} />
      <RefusalAlert refusals={adding.refusals} failure={adding.failure} />
      <div className={classes.actions}>
        {writes.length > 1 && (
          <NativeSelect
            size="sm"
            aria-label={t('notes.audience')}
            value={audience}
            data={writes.map((value) => ({ value, label: t(`notes.audiences.${value}`) }))}
            onChange={(event) => change({ audience: event.currentTarget.value as Audience })}
          />
        )}
        <input
          ref={fileInput}
          type="file"
          multiple
          className={classes.hidden}
          tabIndex={-1}
          aria-hidden // the button opens it
          onChange={(event) => {
            const chosen = [...(event.currentTarget.files ?? [])];
            setFiles([...files, ...chosen].slice(0, maxFiles));
            event.currentTarget.value = '';
          }}
        />
        <Button
          size="sm"
          variant="default"
          leftSection={<Icon name="file" size={16} />}
          onClick={() => fileInput.current?.click()}
        >
          {t('notes.attach')}
        </Button>
        <Button size="sm" type="submit" loading={adding.busy} disabled={text.trim() === ''}>
          {t('notes.send')}
        </Button>
      </div>
    </form>
  );
}

function NoteFiles({
  files,
  onRemove,
}: {
  files: readonly File[];
  onRemove: (index: number) => void;
}) {
  const { t } = useTranslation();
  if (files.length === 0) return null;
  return (
    <ul className={classes.files}>
      {files.map((file, i) => (
        <li key={`${file.name} ${file.lastModified} ${file.size}`}>
          <Text size="sm" span>
            {file.name}
          </Text>{' '}
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={t('notes.remove', { name: file.name })}
            onClick={() => onRemove(i)}
          >
            <Icon name="cross" size={12} />
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** The people who may read the note and whose names contain what is typed after "@". */
function useReaders(
  readers: NoteFormProps['readers'],
  audience: Audience,
  typed: string | null,
): readonly Person[] {
  const [found, setFound] = useState<{ for: string; people: readonly Person[] } | null>(null);
  const wanted = typed === null ? null : `${audience} ${typed}`;
  const read = useRef(readers);
  useEffect(() => {
    read.current = readers;
  });
  useEffect(() => {
    if (wanted === null) return;
    let current = true;
    const timer = setTimeout(async () => {
      const people = await read.current(audience, wanted.slice(audience.length + 1));
      if (current) setFound({ for: wanted, people });
    }, 150);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [wanted, audience]);
  return wanted !== null && found?.for === wanted ? found.people : [];
}

/**
 * Sends a note that met no connection once more when it is back. A note that was changed meanwhile is not sent
 * without the user.
 */
function useSendAgain(
  { busy, failure, whenConnected }: NoteFormProps['adding'],
  content: string,
  send: () => Promise<void>,
): void {
  const tried = useRef<string | null>(null);
  const lost = !busy && failure?.code === 'Network';
  const latest = useRef({ content, send });
  latest.current = { content, send };
  useEffect(() => {
    const unsent = latest.current.content;
    if (!lost || tried.current === unsent) return;
    return whenConnected(() => {
      if (unsent !== latest.current.content) return;
      tried.current = unsent;
      void latest.current.send();
    });
  }, [lost, whenConnected]);
}
