// The comments on a proposal, the oldest first, and the form for another one.
import { Button, Group, NativeSelect, Text, Textarea, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dropNote, loadNote, saveNote } from '../../lib/note-draft';
import type { Failure, Refusal } from '../../lib/refusals';
import { usePerson } from '../../lib/session';
import { ButtonWithReason } from '../buttons';
import { Badge } from '../StatusBadge';
import { ErrorState, Notice, RefusalAlert } from '../states';
import { PersonName, Timestamp } from '../values';
import classes from './discussion.module.css';

interface Person {
  name: string;
}

export interface CommentShown {
  id: string;
  author?: Person | null;
  part?: string | null;
  text: string;
  at: string;
  earlierText: boolean;
  resolvable: boolean;
  resolvedBy?: Person | null;
  resolvedAt?: string | null;
}

interface CommandState {
  busy: boolean;
  refusals: readonly Refusal[];
  error: Parameters<typeof RefusalAlert>[0]['error'];
}

export interface DiscussionProps {
  list: { nodes: readonly CommentShown[]; parts: readonly string[]; writes: boolean } | null;
  failure: Failure | null;
  maxLength: number;
  /** What the proposals are for: an unsent comment stays with it, also when their text is replaced. */
  subject: string;
  adding: CommandState;
  /** Returns whether the comment was added. */
  add: (text: string, part: string | null) => Promise<boolean>;
  resolving: CommandState;
  resolve: (id: string) => void;
  /** What the parts are called; a part without a name is shown by its key. */
  names?: ReadonlyMap<string, string>;
}

/** The names of parts; a name that several have is followed by the key. */
function partNames(parts: readonly string[], names: ReadonlyMap<string, string>) {
  const nameOf = (part: string) => names.get(part) ?? part;
  const all = parts.map(nameOf);
  return (part: string) =>
    all.filter((name) => name === nameOf(part)).length > 1
      ? `${nameOf(part)} (${part})`
      : nameOf(part);
}

const noNames: ReadonlyMap<string, string> = new Map();

export function Discussion(props: DiscussionProps) {
  const { t } = useTranslation();
  const title = useId();
  const { list, failure, resolving, names = noNames } = props;
  if (!list && !failure) return null;
  const nameOf = partNames(list?.parts ?? [], names);
  return (
    <section className={classes.discussion} aria-labelledby={title}>
      <Title order={3} id={title} size="h5">
        {t('discussion.title')}
      </Title>
      {failure && <ErrorState error={failure} />}
      {list?.nodes.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('discussion.none')}
        </Text>
      )}
      {list && list.nodes.length > 0 && (
        <ul className={classes.list} aria-labelledby={title} aria-live="polite">
          {list.nodes.map((comment) => (
            <CommentItem
              key={comment.id}
              comment={comment}
              nameOf={nameOf}
              busy={resolving.busy}
              onResolve={() => props.resolve(comment.id)}
            />
          ))}
        </ul>
      )}
      <RefusalAlert refusals={resolving.refusals} error={resolving.error} />
      {list?.writes && <CommentForm {...props} parts={list.parts} nameOf={nameOf} />}
    </section>
  );
}

function CommentItem({
  comment,
  nameOf,
  busy,
  onResolve,
}: {
  comment: CommentShown;
  nameOf: (part: string) => string;
  busy: boolean;
  onResolve: () => void;
}) {
  const { t } = useTranslation();
  return (
    <li className={classes.comment} data-resolved={Boolean(comment.resolvedAt)}>
      <Group gap="xs">
        <Text size="xs" c="dimmed" span>
          <PersonName person={comment.author} /> · <Timestamp iso={comment.at} as="moment" />
        </Text>
        {comment.part && (
          <Text size="xs" span>
            {t('discussion.about', { part: nameOf(comment.part) })}
          </Text>
        )}
        {comment.earlierText && <Badge tone="calm">{t('discussion.earlierText')}</Badge>}
        {!comment.resolvedAt && <Badge tone="warn">{t('discussion.unresolved')}</Badge>}
      </Group>
      <Text size="sm" className={classes.text}>
        {comment.text}
      </Text>
      {comment.resolvedAt && (
        <Text size="xs" c="dimmed">
          {t('discussion.resolved')} · <PersonName person={comment.resolvedBy} /> ·{' '}
          <Timestamp iso={comment.resolvedAt} as="moment" />
        </Text>
      )}
      {comment.resolvable && (
        <Button size="compact-sm" variant="default" loading={busy} onClick={onResolve}>
          {t('discussion.resolve')}
        </Button>
      )}
    </li>
  );
}

const audience = 'PROPOSAL';

function CommentForm({
  parts,
  maxLength,
  subject,
  adding,
  add,
  nameOf,
}: DiscussionProps & { parts: readonly string[]; nameOf: (part: string) => string }) {
  const { t } = useTranslation();
  const owner = usePerson()?.id ?? '';
  const [text, setText] = useState(() => loadNote(owner, subject, [audience])?.text ?? '');
  const change = (next: string) => {
    setText(next);
    saveNote(owner, subject, { text: next, audience, mentioned: [] });
  };
  const [part, setPart] = useState('');
  const send = async () => {
    if (!(await add(text, part || null))) return;
    dropNote(owner, subject, text);
    setText('');
  };
  return (
    <div className={classes.form}>
      <Textarea
        label={t('discussion.new')}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={maxLength}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {parts.length > 0 && (
        <NativeSelect
          label={t('discussion.part')}
          value={part}
          data={[
            { value: '', label: t('discussion.whole') },
            ...parts.map((one) => ({ value: one, label: nameOf(one) })),
          ]}
          onChange={(event) => setPart(event.currentTarget.value)}
        />
      )}
      <RefusalAlert refusals={adding.refusals} error={adding.error} />
      <div>
        <ButtonWithReason
          variant="default"
          loading={adding.busy}
          disabledReason={text.trim() === '' ? t('discussion.empty') : null}
          onClick={() => void send()}
        >
          {t('discussion.add')}
        </ButtonWithReason>
      </div>
    </div>
  );
}

/** Names the unresolved comments in spite of which a proposal is published. */
export function UnresolvedComments({ comments }: { comments: readonly CommentShown[] }) {
  const { t } = useTranslation();
  if (comments.length === 0) return null;
  return (
    <Notice tone="warn">
      {t('discussion.despite', { count: comments.length })}
      <ul className={classes.named}>
        {comments.map(({ id, author, text }) => (
          <li key={id}>
            <PersonName person={author} />: {text}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
