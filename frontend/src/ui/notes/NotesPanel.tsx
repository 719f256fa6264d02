// The notes of a case, the newest last, and the form for another one.
import { Anchor, Button, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sizeText } from '../../lib/format';
import type { Failure, Refusal } from '../../lib/refusals';
import { ConfirmDialog } from '../buttons';
import { Icon } from '../Icon';
import { ReferencedText } from '../ReferencedText';
import { Badge } from '../StatusBadge';
import { ErrorState, LoadingState, RefusalAlert } from '../states';
import { Timestamp } from '../values';
import { NoteForm, type NoteFormProps } from './NoteForm';
import classes from './notes.module.css';

export type Audience = 'EVERYONE' | 'REVIEWERS' | 'AML';

interface Person {
  id: string;
  name: string;
}

export interface NoteShown {
  id: string;
  author: Person | null;
  own: boolean;
  audience: Audience;
  text: string;
  mentions: readonly Person[];
  attachments: readonly { number: number; name: string; size: string; path: string }[];
  at: string;
  withdrawnAt: string | null;
}

interface CommandState {
  busy: boolean;
  refusals: readonly Refusal[];
  error: Parameters<typeof RefusalAlert>[0]['error'];
}

export interface NotesPanelProps {
  list: { nodes: readonly NoteShown[]; writes: readonly Audience[] } | null;
  failure: Failure | null;
  earlier: (() => void) | null;
  adding: NoteFormProps['adding'];
  readers: NoteFormProps['readers'];
  maxLength: number;
  withdrawal: CommandState;
  withdraw: (id: string) => void;
  watching: CommandState & { watched: boolean | null; toggle: () => void };
}

export function NotesPanel(props: NotesPanelProps) {
  const { t } = useTranslation();
  const { list, failure, watching, withdrawal } = props;
  const [asked, setAsked] = useState<string | null>(null);
  return (
    <section className="cs-card" aria-labelledby="notes">
      <div className={classes.title}>
        <Title order={2} id="notes">
          {t('notes.title')}
        </Title>
        {watching.watched !== null && (
          <Button
            size="compact-sm"
            data-page-action=""
            variant={watching.watched ? 'filled' : 'default'}
            aria-pressed={watching.watched}
            title={t('notes.watchHint')}
            leftSection={<Icon name="bell" size={14} />}
            loading={watching.busy}
            onClick={watching.toggle}
          >
            {t(watching.watched ? 'notes.watched' : 'notes.watch')}
          </Button>
        )}
      </div>
      <RefusalAlert refusals={watching.refusals} error={watching.error} />
      <RefusalAlert refusals={withdrawal.refusals} error={withdrawal.error} />
      {failure && <ErrorState error={failure} />}
      {!list && !failure && <LoadingState lines={2} />}
      {props.earlier && (
        <Button size="compact-sm" variant="subtle" onClick={props.earlier}>
          {t('notes.earlier')}
        </Button>
      )}
      {list?.nodes.length === 0 && <Text c="dimmed">{t('notes.none')}</Text>}
      {list && list.nodes.length > 0 && (
        <ul className={classes.list} aria-label={t('notes.title')} aria-live="polite">
          {list.nodes.map((note) => (
            <NoteItem key={note.id} note={note} onWithdraw={() => setAsked(note.id)} />
          ))}
        </ul>
      )}
      {list && list.writes.length > 0 && (
        <NoteForm
          key={list.writes.join()}
          writes={list.writes}
          adding={props.adding}
          readers={props.readers}
          maxLength={props.maxLength}
        />
      )}
      <ConfirmDialog
        opened={asked !== null}
        title={t('notes.withdraw')}
        confirmLabel={t('notes.withdraw')}
        danger
        busy={withdrawal.busy}
        onConfirm={() => {
          if (asked) props.withdraw(asked);
          setAsked(null);
        }}
        onClose={() => setAsked(null)}
      >
        {t('notes.confirm')}
      </ConfirmDialog>
    </section>
  );
}

function NoteItem({ note, onWithdraw }: { note: NoteShown; onWithdraw: () => void }) {
  const { t, i18n } = useTranslation();
  return (
    <li className={classes.note}>
      <div className={classes.head}>
        <Text size="sm" fw={600} span className={classes.text}>
          {note.author?.name ?? t('notes.someone')}
        </Text>
        <Text size="xs" c="dimmed" span>
          <Timestamp iso={note.at} as="moment" />
        </Text>
        <Badge tone="calm">{t(`notes.badges.${note.audience}`)}</Badge>
        {note.own && !note.withdrawnAt && (
          <Button size="compact-xs" variant="subtle" onClick={onWithdraw}>
            {t('notes.withdraw')}
          </Button>
        )}
      </div>
      {note.withdrawnAt ? (
        <Text size="sm" c="dimmed" td="line-through">
          {t('notes.withdrawn')}
        </Text>
      ) : (
        <Text size="sm" className={classes.text} dir="auto">
          <ReferencedText text={note.text} />
        </Text>
      )}
      {note.mentions.length > 0 && (
        <Text size="xs" c="dimmed" className={classes.text}>
          {t('notes.mentions', { names: note.mentions.map(({ name }) => name).join(', ') })}
        </Text>
      )}
      {note.attachments.length > 0 && (
        <ul className={classes.files}>
          {note.attachments.map((file) => (
            <li key={file.number}>
              <Anchor size="sm" href={file.path} download>
                {file.name}
              </Anchor>{' '}
              <Text size="xs" c="dimmed" span>
                {sizeText(Number(file.size), i18n.language)}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
