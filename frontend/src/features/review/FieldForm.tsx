// The fields of the document. Tab goes to the next that needs a person, the arrows to each; the field in focus lights its
// box on the page.
import { Button, Group, Kbd, Text, Title } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/Icon';
import { FieldLine } from './FieldLine';
import classes from './review.module.css';
import { currencyOf, type ReadableReview } from './review-facts';
import { besideStop, firstStop, nextStop } from './stops';
import type { DraftState } from './use-draft';
import type { ReviewDesk } from './use-review';

interface FieldFormProps {
  review: ReadableReview;
  desk: ReviewDesk;
  draft: DraftState;
  lit: string | null;
  onLight: (field: string) => void;
}

const focus = (name: string | null) =>
  name !== null && document.getElementById(`field-${name}`)?.focus();

export function FieldForm({ review, desk, draft, lit, onLight }: FieldFormProps) {
  const { t } = useTranslation();
  const { snapshot, send, save } = desk;
  const { typed } = snapshot.context;
  const form = review.case.fieldForm;
  const needing = form.filter((line) => line.needsPerson).length;
  const way = useWay(form);
  const writable = snapshot.can({ type: 'TYPE', name: '', value: '' });
  const currency = currencyOf(review.case, typed.currency?.value);
  const count = Object.keys(typed).length;
  return (
    <section className="cs-card" aria-labelledby="review-fields">
      <Group justify="space-between" gap="xs" mb={4}>
        <Title order={2} id="review-fields">
          {t('review.fields.title')}
        </Title>
        <Text size="sm" c={needing === 0 ? 'dimmed' : 'var(--cs-warn)'} fw={560}>
          {needing === 0
            ? t('review.fields.noneNeeding')
            : t('review.fields.needing', { count: needing })}
        </Text>
      </Group>
      {writable && (
        <Text size="xs" c="dimmed" className={classes.hint}>
          {t('review.fields.hint')}
        </Text>
      )}
      {/* The keys of the fields below, which are what is focused. */}
      <fieldset
        className={classes.fields}
        aria-labelledby="review-fields"
        onKeyDown={(event) => way.press(event, save)}
        onBlur={way.leave}
      >
        {form.map((line) => (
          <FieldLine
            key={line.name}
            line={line}
            pages={review.case.document?.pages ?? []}
            typed={typed[line.name]?.value ?? null}
            currency={currency}
            writable={writable}
            lit={lit === line.name}
            stop={way.stop === line.name}
            refusal={snapshot.context.refusals.find(({ field }) => field === line.name) ?? null}
            onFocus={() => {
              way.enter(line.name);
              onLight(line.name);
            }}
            onType={(value) => send({ type: 'TYPE', name: line.name, value })}
            onUndo={() => {
              send({ type: 'UNDO', name: line.name });
              focus(line.name);
            }}
          />
        ))}
      </fieldset>
      <div className={classes.saveBar} data-shown={count > 0 || undefined}>
        {count > 0 && (
          <>
            <Button
              onClick={save}
              loading={snapshot.matches('saving')}
              disabled={!snapshot.can({ type: 'SAVE' }) && !snapshot.matches('saving')}
              rightSection={<Kbd size="xs">Enter</Kbd>}
            >
              {t('review.fields.save', { count })}
            </Button>
            <Button
              variant="subtle"
              disabled={!writable}
              onClick={() =>
                Object.keys(typed).forEach((name) => void send({ type: 'UNDO', name }))
              }
            >
              {t('review.fields.undoAll')}
            </Button>
          </>
        )}
        <DraftWord state={draft} />
      </div>
    </section>
  );
}

/** Where the focus is and goes among the fields. */
function useWay(form: ReadableReview['case']['fieldForm']) {
  const visited = useRef(new Set<string>());
  const back = useRef<string[]>([]);
  const [current, setCurrent] = useState<string | null>(null);
  const stop = current ?? firstStop(form);
  const enter = (name: string) => {
    visited.current.add(name);
    setCurrent(name);
  };
  const leave = (event: React.FocusEvent<HTMLElement>) => {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    visited.current.clear();
    back.current = [];
    setCurrent(null);
  };
  const tab = (event: KeyboardEvent, from: string) => {
    const goal = event.shiftKey
      ? (back.current.pop() ?? null)
      : nextStop(form, from, visited.current);
    if (goal === null) return;
    event.preventDefault();
    if (!event.shiftKey) back.current.push(from);
    focus(goal);
  };
  const press = (event: KeyboardEvent<HTMLElement>, save: () => void) => {
    const field = event.target instanceof HTMLElement ? event.target.dataset.field : undefined;
    if (field === undefined) return;
    const arrows =
      event.target instanceof HTMLSelectElement
        ? 0
        : event.key === 'ArrowDown'
          ? 1
          : event.key === 'ArrowUp'
            ? -1
            : 0;
    if (event.key === 'Tab') tab(event, field);
    else if (event.key === 'Enter') {
      event.preventDefault();
      save();
    } else if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
    else if (arrows !== 0) {
      event.preventDefault();
      focus(besideStop(form, field, arrows === 1 ? 1 : -1));
    }
  };
  return { stop, enter, leave, press };
}

function DraftWord({ state }: { state: DraftState }) {
  const { t } = useTranslation();
  if (state === 'empty') return null;
  return (
    <Text size="xs" c="dimmed" role="status" className={classes.draft}>
      {state === 'kept' && <Icon name="check" size={14} />} {t(`review.draft.${state}`)}
    </Text>
  );
}
