// Compares the values that the user has seen or typed with those that another user has saved.
import { Button, Text, Title } from '@mantine/core';
import { useContext, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { choiceLabel, labelIn } from '../../lib/field-labels';
import { fieldLabel } from '../../lib/labels';
import { shownText } from '../../lib/value-text';
import { ButtonWithReason } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { StaleNote } from '../../ui/stale-note';
import classes from './review.module.css';
import type { Line } from './review-facts';
import { type Difference, differences } from './review-values';
import type { ReviewWorkspaceState } from './use-review';

export function ConflictPanel({
  workspace,
  form,
}: {
  workspace: ReviewWorkspaceState;
  form: readonly Line[];
}) {
  const { t } = useTranslation();
  const { snapshot, send, corrector } = workspace;
  const stale = useContext(StaleNote);
  const opened = snapshot.matches({ mine: 'conflict' });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (opened) heading.current?.focus();
  }, [opened]);
  if (!opened) return null;
  const message = corrector
    ? corrector.self
      ? t('review.conflict.changedBySelf')
      : t('review.conflict.changedBy', { name: corrector.name })
    : t('review.conflict.changed');
  const conflicts = differences(snapshot.context);
  return (
    <section className={classes.conflict} aria-labelledby="review-conflict">
      <Title order={2} id="review-conflict" ref={heading} tabIndex={-1}>
        <Icon name="alert" /> {t('review.conflict.title')}
      </Title>
      <Text size="sm">{snapshot.context.awaiting ? t('review.conflict.waiting') : message}</Text>
      {!snapshot.context.awaiting && stale}
      {conflicts.length > 0 && (
        <div className={classes.versions}>
          {conflicts.map((difference) => (
            <FieldConflict
              key={difference.name}
              difference={difference}
              line={form.find((line) => line.name === difference.name)}
              workspace={workspace}
            />
          ))}
        </div>
      )}
      {!snapshot.context.awaiting && conflicts.some((difference) => difference.mine === null) && (
        <ButtonWithReason
          disabledReason={snapshot.can({ type: 'ACKNOWLEDGE' }) ? null : t('review.conflict.first')}
          onClick={() => send({ type: 'ACKNOWLEDGE' })}
        >
          {t('review.conflict.noted')}
        </ButtonWithReason>
      )}
    </section>
  );
}

function FieldConflict({
  difference,
  line,
  workspace: { send },
}: {
  difference: Difference;
  line: Line | undefined;
  workspace: ReviewWorkspaceState;
}) {
  const { t, i18n } = useTranslation();
  const name = line ? labelIn(i18n.language, line) : fieldLabel(t, difference.name);
  const displayed = (value: string) =>
    (line &&
      choiceLabel(t, i18n.language, line, shownText(line.type, value, i18n.language, line.name))) ||
    value ||
    t('review.fields.empty');
  return (
    <div className={classes.version}>
      <Text fw={600} size="sm">
        {name}
      </Text>
      <dl className={classes.sides}>
        <div>
          <dt>{t(difference.mine === null ? 'review.conflict.before' : 'review.conflict.mine')}</dt>
          <dd>{displayed(difference.mine ?? difference.before)}</dd>
        </div>
        <div>
          <dt>{t('review.conflict.theirs')}</dt>
          <dd>{displayed(difference.theirs)}</dd>
        </div>
      </dl>
      {difference.mine !== null && (
        <div className={classes.choice}>
          <Button
            size="xs"
            variant="default"
            aria-label={t('review.conflict.keepWhat', { name })}
            onClick={() => send({ type: 'KEEP_MINE', name: difference.name })}
          >
            {t('review.conflict.keep')}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={t('review.conflict.takeWhat', { name })}
            onClick={() => send({ type: 'TAKE_THEIRS', name: difference.name })}
          >
            {t('review.conflict.take')}
          </Button>
        </div>
      )}
    </div>
  );
}
