// One box that says where the review stands, whenever that is not simply "yours".
import { Button, Group, Kbd, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { refusalMessage } from '../../lib/words';
import { Notice, RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import classes from './review.module.css';
import type { Reasons, Review } from './review-facts';
import type { Next } from './use-next';
import type { ReviewDesk } from './use-review';

interface StandingProps {
  desk: ReviewDesk;
  review: Review;
  reasons: Reasons;
  me: string | null;
  next: Next;
}

export function Standing(props: StandingProps) {
  const { t } = useTranslation();
  const { snapshot } = props.desk;
  const { seen, moved } = snapshot.context;
  useTop(snapshot.matches('done') || snapshot.matches('closed') || snapshot.matches('lost'));
  if (snapshot.matches('done')) return <Done {...props} />;
  if (snapshot.matches('closed')) {
    return (
      <Box
        tone="calm"
        title={t('review.standing.closedTitle')}
        text={t('review.standing.closedText')}
      >
        <Onward next={props.next} />
      </Box>
    );
  }
  if (snapshot.matches('lost')) {
    const text = seen.holder
      ? t('review.standing.lostTo', { name: seen.holder })
      : t('review.standing.lostOpen');
    return <Box tone="warn" title={t('review.standing.lostTitle')} text={text} />;
  }
  if (snapshot.matches('viewing') || snapshot.matches('claiming')) {
    if (seen.standing === 'open') return <Open reasons={props.reasons} />;
    const name = seen.holder;
    return (
      <Box
        tone="calm"
        text={name ? t('review.standing.others', { name }) : t('review.standing.othersUnnamed')}
      />
    );
  }
  return moved ? <Box tone="warn" text={t('review.standing.moved')} /> : null;
}

/** A review that nobody has: to be claimed, or why not by this person. */
function Open({ reasons: { claim } }: Pick<StandingProps, 'reasons'>) {
  const { t, i18n } = useTranslation();
  if (claim.allowed || claim.code === 'AlreadyClaimed')
    return <Box tone="calm" text={t('review.standing.open')} />;
  const reason = refusalMessage(t, i18n.language, {
    code: claim.code ?? '',
    message: claim.sentence,
    values: claim.values,
  });
  return <Box tone="calm" text={t('review.standing.cannotClaim', { reason })} />;
}

/** What has just become of the review is said at the head of the page; whoever is further down is brought there. */
function useTop(matters: boolean): void {
  useEffect(() => {
    if (matters) window.scrollTo({ top: 0 });
  }, [matters]);
}

function Box({
  tone,
  title,
  text,
  children,
}: {
  tone: 'calm' | 'warn' | 'good';
  title?: string;
  text?: string;
  children?: React.ReactNode;
}) {
  return (
    <div className={classes.standing}>
      <Notice tone={tone} icon={tone === 'warn' ? 'alert' : tone === 'good' ? 'done' : 'eye'} live>
        {title && <Text fw={600}>{title}</Text>}
        {text && <Text size="sm">{text}</Text>}
        {children}
      </Notice>
    </div>
  );
}

function Done({ desk, review, me, next }: StandingProps) {
  const { t } = useTranslation();
  if (desk.snapshot.context.outcome === 'handedOn') {
    return (
      <Box
        tone="good"
        title={t('review.standing.handedOn')}
        text={t('review.standing.handedOnText')}
      >
        <Onward next={next} />
      </Box>
    );
  }
  const { decision } = review;
  const name = decision?.actor?.name;
  const mine =
    decision?.actor?.id === me || (!decision && desk.snapshot.context.outcome === 'decided');
  const who = mine
    ? t('review.standing.decidedByYou')
    : name
      ? t('review.standing.decidedBy', { name })
      : t('review.standing.decidedUnnamed');
  const forWhom = decision?.onBehalfOf
    ? ` (${t('review.name.for', { name: decision.onBehalfOf.name })})`
    : '';
  const verdict = decision?.verdict ?? desk.snapshot.context.verdict;
  return (
    <Box
      tone="good"
      title={`${verdict ? `${who}: ${t(`review.verdicts.${verdict}`)}` : who}${forWhom}`}
    >
      {decision?.reason && (
        <Text size="sm" className={classes.reason}>
          {decision.reason}
        </Text>
      )}
      {decision && (
        <Text size="xs">
          <Timestamp iso={decision.at} as="moment" />
        </Text>
      )}
      <Onward next={next} />
    </Box>
  );
}

/** What to do after this review. */
function Onward({ next }: { next: Next }) {
  const { t } = useTranslation();
  return (
    <>
      <Group gap="xs" mt="xs">
        <Button loading={next.busy} rightSection={<Kbd size="xs">n</Kbd>} onClick={next.claim}>
          {t('review.next')}
        </Button>
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/queue" />}>
          {t('review.toQueue')}
        </Button>
      </Group>
      {(next.refusals.length > 0 || next.error) && (
        <div className={classes.standing}>
          <RefusalAlert refusals={next.refusals} error={next.error} />
        </div>
      )}
    </>
  );
}
