// A banner with the status of the review, unless the user simply holds it.
import { Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { listOf } from '../../lib/format';
import { refusalMessage } from '../../lib/labels';
import { Signature } from '../../ui/Signature';
import { shortcutProps } from '../../ui/shortcut';
import { Notice, RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { findingsHeading } from './Findings';
import { movedText } from './MovedNotice';
import classes from './review.module.css';
import type { Entered } from './review-context';
import type { ReadableReview, Reasons } from './review-facts';
import { Unsent } from './Unsent';
import type { NextReview } from './use-next-review';
import type { ReviewWorkspaceState } from './use-review';

interface ReviewBannerProps {
  workspace: ReviewWorkspaceState;
  review: ReadableReview;
  reasons: Reasons;
  me: string | null;
  next: NextReview;
}

export function ReviewBanner(props: ReviewBannerProps) {
  const { t } = useTranslation();
  const { snapshot, saves } = props.workspace;
  const mine = snapshot.matches('mine');
  useFocusAfterClaim(snapshot.matches('claiming'), mine);
  return (
    <>
      <div role="status" className="cs-visually-hidden">
        {/* Also while a correction is saved, otherwise it is announced again after each. */}
        {(mine || snapshot.matches('saving')) && t('review.standing.mine')}
      </div>
      {/* A new element for each save, so that a screen reader announces all of them. */}
      <div role="status" className="cs-visually-hidden">
        {saves > 0 && <span key={saves}>{t('review.saved')}</span>}
      </div>
      <StatusBanner {...props} />
    </>
  );
}

/** Moves the focus to the findings if it was on the button with which the review was claimed. */
function useFocusAfterClaim(claiming: boolean, mine: boolean): void {
  const byButton = useRef(false);
  useEffect(() => {
    if (claiming) byButton.current = document.activeElement?.tagName === 'BUTTON';
    if (!mine) return;
    if (byButton.current) document.getElementById(findingsHeading)?.focus();
    byButton.current = false;
  }, [claiming, mine]);
}

function StatusBanner(props: ReviewBannerProps) {
  const { t, i18n } = useTranslation();
  const { snapshot, changers } = props.workspace;
  const { serverState, moved } = snapshot.context;
  const changed = moved !== null && !snapshot.matches({ mine: 'confirmingDecision' });
  useScrollToTop(
    snapshot.matches('done') || snapshot.matches('closed') || snapshot.matches('lost') || changed,
  );
  useFocusAfterDecision(snapshot.matches('done'));
  if (snapshot.matches('done')) return <DecidedBanner {...props} />;
  if (snapshot.matches('closed')) {
    return (
      <Banner tone="calm" title={t('review.standing.closedTitle')} text={closedText(t, props)}>
        <Unsent workspace={props.workspace} form={props.review.case.fieldForm} />
        <NextActions next={props.next} />
      </Banner>
    );
  }
  if (snapshot.matches('lost')) {
    const text = serverState.holder
      ? t('review.standing.lostTo', { name: serverState.holder })
      : t('review.standing.lostOpen');
    return <Banner tone="warn" title={t('review.standing.lostTitle')} text={text} />;
  }
  if (snapshot.matches('viewing') || snapshot.matches('claiming')) {
    const name = serverState.holder;
    const { review } = props;
    if (review.drawn && review.status === 'OPEN' && review.assignee?.id !== props.me)
      return <DrawnBanner holder={name} />;
    if (serverState.viewerStatus === 'open')
      return <OpenBanner reasons={props.reasons} drawn={review.drawn} />;
    return (
      <Banner
        tone="calm"
        text={name ? t('review.standing.others', { name }) : t('review.standing.othersUnnamed')}
      />
    );
  }
  if (!changed) return null;
  const text = movedText(t, i18n.language, moved, changers);
  return <Banner tone="warn" text={`${text} ${t('review.moved.check')}`} />;
}

/** Why the case has continued without the review, as far as the user may read it. */
function closedText(t: TFunction, { workspace, review }: ReviewBannerProps): string {
  if (workspace.snapshot.context.withdrawn) return t('review.standing.withdrawn');
  if (review.case.status === 'RETURNED')
    return workspace.returnedBy
      ? t('review.standing.closedReturnedBy', { name: workspace.returnedBy })
      : t('review.standing.closedReturned');
  if (workspace.inCommittee && review.case.status !== 'ABANDONED')
    return t('review.standing.closedCommittee');
  return t('review.standing.closedText');
}

/** A review whose reviewer is drawn: who was drawn, or that the draw is still to come. */
function DrawnBanner({ holder }: { holder: string | null }) {
  const { t } = useTranslation();
  const text = holder
    ? t('review.standing.drawnTo', { name: holder })
    : t('review.standing.drawPending');
  return <Banner tone="calm" text={text} />;
}

/** Moves the focus to the heading if it was in what the decision has removed. */
function useFocusAfterDecision(done: boolean): void {
  useEffect(() => {
    if (done && document.activeElement === document.body)
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [done]);
}

/** An unclaimed review: it can be claimed, or the reason why this user cannot. */
function OpenBanner({
  reasons: { claim },
  drawn,
}: Pick<ReviewBannerProps, 'reasons'> & { drawn: boolean }) {
  const { t, i18n } = useTranslation();
  if (claim.allowed || claim.code === 'AlreadyClaimed')
    return (
      <Banner tone="calm" text={t(drawn ? 'review.standing.drawnToYou' : 'review.standing.open')} />
    );
  const reason = refusalMessage(t, i18n.language, {
    code: claim.code ?? '',
    message: claim.sentence,
    values: claim.values,
  });
  return <Banner tone="calm" text={t('review.standing.cannotClaim', { reason })} />;
}

/** Scrolls to the banner when the status has changed. */
function useScrollToTop(changed: boolean): void {
  useEffect(() => {
    if (changed) window.scrollTo({ top: 0 });
  }, [changed]);
}

function Banner({
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
    <div className={classes.banner}>
      <Notice tone={tone} icon={tone === 'warn' ? 'alert' : tone === 'good' ? 'done' : 'eye'} live>
        {title && <Text fw={600}>{title}</Text>}
        {text && <Text size="sm">{text}</Text>}
        {children}
      </Notice>
    </div>
  );
}

/** What the user entered: "an amount and an account". */
export function enteredText(t: TFunction, language: string, entered: readonly Entered[]): string {
  const some = entered.length > 0 ? entered : (['value'] as const);
  return listOf(
    language,
    some.map((one) => t(`review.entered.${one}`)),
  );
}

function DecidedBanner({ workspace, review, me, next }: ReviewBannerProps) {
  const { t, i18n } = useTranslation();
  const { outcome } = workspace.snapshot.context;
  if (outcome === 'reassigned' || outcome === 'passedOn') {
    return (
      <Banner
        tone="good"
        title={t('review.standing.reassigned')}
        text={
          outcome === 'passedOn'
            ? t('review.standing.passedOnText')
            : t('review.standing.reassignedText', {
                what: enteredText(t, i18n.language, workspace.snapshot.context.entered),
              })
        }
      >
        <NextActions next={next} />
      </Banner>
    );
  }
  const { decision } = review;
  const name = decision?.actor?.name;
  const mine = decision?.actor?.id === me || (!decision && outcome === 'decided');
  const decidedByText = mine
    ? t('review.standing.decidedByYou')
    : name
      ? t('review.standing.decidedBy', { name })
      : t('review.standing.decidedUnnamed');
  const onBehalfOfText = decision?.onBehalfOf
    ? ` (${t('review.name.for', { name: decision.onBehalfOf.name })})`
    : '';
  const verdict = decision?.verdict ?? workspace.snapshot.context.verdict;
  return (
    <Banner
      tone="good"
      title={`${verdict ? t('review.standing.verdict', { by: decidedByText, verdict: t(`review.verdicts.${verdict}`) }) : decidedByText}${onBehalfOfText}`}
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
      <Unsent workspace={workspace} form={review.case.fieldForm} />
      {review.voteHidden && <Text size="sm">{t('review.committee.yoursHidden')}</Text>}
      {decision && <Signature signature={decision.signature} at={decision.at} />}
      <NextActions next={next} />
    </Banner>
  );
}

/** The actions after this review. */
function NextActions({ next }: { next: NextReview }) {
  const { t } = useTranslation();
  return (
    <>
      <Group gap="xs" mt="xs">
        <Button loading={next.busy} {...shortcutProps('n')} onClick={next.claim}>
          {t('review.next')}
        </Button>
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/queue" />}>
          {t('review.toQueue')}
        </Button>
      </Group>
      {(next.refusals.length > 0 || next.error) && (
        <div className={classes.banner}>
          <RefusalAlert refusals={next.refusals} error={next.error} />
        </div>
      )}
    </>
  );
}
