// Both versions side by side: what the person had before their eyes or typed, and what somebody else has saved.
import { Button, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldWords } from '../../lib/words';
import { ReasonedButton } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import classes from './review.module.css';
import { type Difference, differences } from './review-machine';
import type { ReviewDesk } from './use-review';

export function ConflictPanel({ desk }: { desk: ReviewDesk }) {
  const { t } = useTranslation();
  const { snapshot, send } = desk;
  const opened = snapshot.matches({ mine: 'conflict' });
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (opened) head.current?.focus();
  }, [opened]);
  if (!opened) return null;
  const { corrector } = snapshot.context.seen;
  const told = corrector
    ? corrector.self
      ? t('review.conflict.changedBySelf')
      : t('review.conflict.changedBy', { name: corrector.name })
    : t('review.conflict.changed');
  const both = differences(snapshot.context);
  return (
    <section className={classes.conflict} aria-labelledby="review-conflict">
      <Title order={2} id="review-conflict" ref={head} tabIndex={-1}>
        <Icon name="alert" /> {t('review.conflict.title')}
      </Title>
      <Text size="sm">{snapshot.context.awaiting ? t('review.conflict.waiting') : told}</Text>
      {both.length > 0 && (
        <div className={classes.versions}>
          {both.map((one) => (
            <Versions key={one.name} one={one} desk={desk} />
          ))}
        </div>
      )}
      {!snapshot.context.awaiting && both.some((one) => one.mine === null) && (
        <ReasonedButton
          because={snapshot.can({ type: 'NOTED' }) ? null : t('review.conflict.first')}
          onClick={() => send({ type: 'NOTED' })}
        >
          {t('review.conflict.noted')}
        </ReasonedButton>
      )}
    </section>
  );
}

function Versions({ one, desk: { send } }: { one: Difference; desk: ReviewDesk }) {
  const { t } = useTranslation();
  const name = fieldWords(t, one.name);
  const said = (value: string) => value || t('review.fields.empty');
  return (
    <div className={classes.version}>
      <Text fw={600} size="sm">
        {name}
      </Text>
      <dl className={classes.sides}>
        <div>
          <dt>{t(one.mine === null ? 'review.conflict.before' : 'review.conflict.mine')}</dt>
          <dd>{said(one.mine ?? one.before)}</dd>
        </div>
        <div>
          <dt>{t('review.conflict.theirs')}</dt>
          <dd>{said(one.theirs)}</dd>
        </div>
      </dl>
      {one.mine !== null && (
        <div className={classes.choice}>
          <Button
            size="xs"
            variant="default"
            aria-label={t('review.conflict.keepWhat', { name })}
            onClick={() => send({ type: 'KEEP', name: one.name })}
          >
            {t('review.conflict.keep')}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={t('review.conflict.takeWhat', { name })}
            onClick={() => send({ type: 'TAKE', name: one.name })}
          >
            {t('review.conflict.take')}
          </Button>
        </div>
      )}
    </div>
  );
}
