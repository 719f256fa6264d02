// The fields of the document. Tab moves to the next field that needs a person, the arrow keys to
// the next field; the focused field is highlighted on the page.
import { Button, Group, Text, Title } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/Icon';
import { shortcutProps } from '../../ui/shortcut';
import { type Alternative, chosenValues } from './alternatives';
import { FieldLine } from './FieldLine';
import classes from './review.module.css';
import { awaitsCheck, currencyOf, type ReadableReview } from './review-facts';
import { adjacentField, firstField, nextField } from './tab-order';
import type { DraftState } from './use-draft';
import type { ReviewWorkspaceState } from './use-review';

interface FieldFormProps {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  draft: DraftState;
  highlighted: string | null;
  /** The fields to check, also those that are sure and stated with different values. */
  toCheck: ReadonlySet<string>;
  /** Other values of the highlighted field. */
  alternatives: readonly Alternative[];
  onHighlight: (field: string) => void;
  /** Enter in a field: saves or confirms, and goes to the next value to check. */
  onEnter: (field: string) => void;
  onConfirm: (field: string) => void;
  /** Asks why a missing value cannot be determined; null except in a repair. */
  onUndetermined: ((field: string) => void) | null;
  onHistory: (field: string) => void;
}

const noAlternatives: readonly Alternative[] = [];

const focus = (name: string | null) =>
  name !== null && document.getElementById(`field-${name}`)?.focus();

export function FieldForm(props: FieldFormProps) {
  const { review, workspace, draft, highlighted, toCheck, onHighlight } = props;
  const { t } = useTranslation();
  const { snapshot, send, save } = workspace;
  const { typed } = snapshot.context;
  const [showsAll, setShowsAll] = useState(false);
  const suggestionOf = (name: string) =>
    review.case.suggestions.find(({ field }) => field === name)?.value ?? null;
  const form = useSteadyOrder(
    review.case.fieldForm
      .filter(
        (line) =>
          showsAll ||
          !line.onRequest ||
          toCheck.has(line.name) ||
          typed[line.name] !== undefined ||
          suggestionOf(line.name) !== null,
      )
      .map((line) => (toCheck.has(line.name) ? { ...line, needsPerson: true } : line)),
  );
  const hiddenCount = review.case.fieldForm.length - form.length;
  const needing = form.filter((line) => awaitsCheck(line) || toCheck.has(line.name)).length;
  const blocking = review.case.findings.filter(({ severity }) => severity === 'BLOCKING').length;
  const navigation = useFieldNavigation(form);
  const writable = snapshot.can({ type: 'TYPE', name: '', value: '' });
  // While a question is open, its space stays, so that no field jumps.
  const held =
    writable || ['mine', 'saving', 'deciding'].some((state) => snapshot.matches(state as 'mine'));
  const currency = currencyOf(review.case, typed.currency?.value);
  const changedCount = Object.keys(typed).length;
  return (
    <section className="cs-card" aria-labelledby="review-fields">
      <Group justify="space-between" gap="xs" mb={4}>
        <Title order={2} id="review-fields" fz="md">
          {t('review.fields.title')}
        </Title>
        <Text size="sm" c={needing + blocking === 0 ? 'dimmed' : 'var(--cs-warn)'} fw={560}>
          {needing > 0
            ? t('review.fields.needing', { count: needing })
            : blocking > 0
              ? t('review.fields.blocking', { count: blocking })
              : t('review.fields.noneNeeding')}
        </Text>
      </Group>
      {held && (
        <Text size="xs" c="dimmed" className={classes.hint}>
          {t('review.fields.hint')}
        </Text>
      )}
      {/* Handles the keys of the fields inside, which have the focus. */}
      <fieldset
        className={classes.fields}
        aria-labelledby="review-fields"
        onKeyDown={(event) => navigation.handleKey(event, props.onEnter)}
        onBlur={navigation.leave}
      >
        {form.map((line) => (
          <FieldLine
            key={line.name}
            line={line}
            suggestion={suggestionOf(line.name)}
            alternatives={highlighted === line.name ? props.alternatives : noAlternatives}
            pages={review.case.document?.pages ?? []}
            differs={toCheck.has(line.name) && !line.doubts.some((doubt) => doubt !== 'FINDING')}
            typed={typed[line.name]?.value ?? null}
            currency={currency}
            writable={writable}
            highlighted={highlighted === line.name}
            tabStop={navigation.stop === line.name}
            refusal={snapshot.context.refusals.find(({ field }) => field === line.name) ?? null}
            onFocus={() => {
              navigation.enter(line.name);
              onHighlight(line.name);
            }}
            confirmable={snapshot.can({ type: 'CONFIRM_VALUES', names: [line.name] })}
            onConfirm={() => props.onConfirm(line.name)}
            onUndetermined={
              props.onUndetermined && line.missing && snapshot.can({ type: 'STATE' })
                ? () => props.onUndetermined?.(line.name)
                : null
            }
            onHistory={() => props.onHistory(line.name)}
            onType={(value) => send({ type: 'TYPE', name: line.name, value })}
            onChoose={(chosen) => {
              for (const entered of chosenValues(line.name, chosen, currency))
                send({ type: 'TYPE', ...entered });
            }}
            onUndo={() => {
              send({ type: 'UNDO', name: line.name });
              focus(line.name);
            }}
          />
        ))}
      </fieldset>
      {hiddenCount > 0 && held && (
        <Button size="compact-sm" variant="subtle" onClick={() => setShowsAll(true)}>
          {t('review.fields.more', { count: hiddenCount })}
        </Button>
      )}
      <div className={classes.saveBar} data-shown={changedCount > 0 || undefined}>
        {changedCount > 0 && (
          <>
            <Button
              onClick={save}
              loading={snapshot.matches('saving')}
              disabled={!snapshot.can({ type: 'SAVE' }) && !snapshot.matches('saving')}
              {...shortcutProps('Enter')}
            >
              {t('review.fields.save', { count: changedCount })}
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
        <DraftStatus state={draft} />
      </div>
    </section>
  );
}

/**
 * The values to check come first, missing ones before all, because the review cannot be ended
 * without them.
 */
export function toCheckFirst<T extends { missing: boolean; needsPerson: boolean }>(
  form: readonly T[],
): T[] {
  const rank = (line: T) => (line.missing ? 0 : line.needsPerson ? 1 : 2);
  return [...form].sort((a, b) => rank(a) - rank(b));
}

/** The lines in their order; no line moves while a field has the focus. */
function useSteadyOrder<T extends { name: string; missing: boolean; needsPerson: boolean }>(
  form: readonly T[],
): T[] {
  const order = useRef<string[]>([]);
  const focused = document.activeElement?.closest('[data-row]') ?? null;
  if (focused === null || order.current.length !== form.length)
    order.current = toCheckFirst(form).map(({ name }) => name);
  const place = new Map(order.current.map((name, index) => [name, index]));
  return [...form].sort((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0));
}

const chooseAlternative = (number: string) =>
  document.querySelector<HTMLElement>(`[data-alternative="${number}"]`)?.click();

/** The keyboard navigation among the fields. */
function useFieldNavigation(form: ReadableReview['case']['fieldForm']) {
  const visited = useRef(new Set<string>());
  const history = useRef<string[]>([]);
  const [current, setCurrent] = useState<string | null>(null);
  const stop = current ?? firstField(form);
  const enter = (name: string) => {
    visited.current.add(name);
    setCurrent(name);
  };
  const leave = (event: React.FocusEvent<HTMLElement>) => {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    visited.current.clear();
    history.current = [];
    setCurrent(null);
  };
  const tab = (event: KeyboardEvent, from: string) => {
    const target = event.shiftKey
      ? (history.current.pop() ?? null)
      : nextField(form, from, visited.current);
    if (target === null) return;
    event.preventDefault();
    if (!event.shiftKey) history.current.push(from);
    focus(target);
  };
  const handleKey = (event: KeyboardEvent<HTMLElement>, onEnter: (field: string) => void) => {
    if (!(event.target instanceof HTMLElement)) return;
    const { field = event.target.dataset.row, row } = event.target.dataset;
    if (field === undefined) return;
    if (row !== undefined && event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault();
      focus(field);
      return;
    }
    const arrows =
      event.target instanceof HTMLSelectElement
        ? 0
        : event.key === 'ArrowDown'
          ? 1
          : event.key === 'ArrowUp'
            ? -1
            : 0;
    if (event.altKey && /^Digit[1-9]$/.test(event.code)) {
      event.preventDefault(); // on a Mac the key would enter a character
      chooseAlternative(event.code.slice(-1));
    } else if (event.key === 'Tab') tab(event, field);
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (!event.repeat) onEnter(field); // a key that is held down confirms one value
    } else if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
    else if (arrows !== 0) {
      event.preventDefault();
      focus(adjacentField(form, field, arrows === 1 ? 1 : -1));
    }
  };
  return { stop, enter, leave, handleKey };
}

function DraftStatus({ state }: { state: DraftState }) {
  const { t } = useTranslation();
  if (state === 'empty') return null;
  return (
    <Text size="xs" c="dimmed" role="status" className={classes.draft}>
      {state === 'kept' && <Icon name="check" size={14} />} {t(`review.draft.${state}`)}
    </Text>
  );
}
