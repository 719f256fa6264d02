// The payment order of a review's case: state a ground for a difference, confirm one that another
// person stated, accept restated values.
import { Group, NativeSelect, Text, Textarea, Title } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OrderGroundInput } from '../../graphql/generated/bounds';
import type { OrderGroundKind } from '../../graphql/generated/graphql';
import { refusalMessage } from '../../lib/labels';
import { isRead } from '../../lib/order';
import { ButtonWithReason } from '../../ui/buttons';
import { OrderPanel } from '../../ui/order/OrderPanel';
import { Notice } from '../../ui/states';
import { claimCodes } from './DecisionPanel';
import type { ReadableReview, Reasons } from './review-facts';
import type { ReviewSnapshot } from './review-machine';
import type { ReviewWorkspaceState } from './use-review';

interface ReviewOrderProps {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  reasons: Reasons;
  me: string | null;
}

type Order = NonNullable<ReadableReview['case']['order']>;

export function ReviewOrder({ review, workspace, reasons, me }: ReviewOrderProps) {
  const { t, i18n } = useTranslation();
  const { snapshot, changeOrder } = workspace;
  const { order, status } = review.case;
  if (!order) return review.approval.code === 'OrderRequired' ? <MissingOrder /> : null;
  const open = !snapshot.matches('done') && !snapshot.matches('closed');
  const obstacle = obstacleText(t, i18n.language, snapshot, reasons);
  const sending = snapshot.matches('saving');
  const mine = order.earlierValues.some(({ acceptedBy }) => acceptedBy.some(({ id }) => id === me));
  const others = order.earlierValues.some(({ acceptedBy }) => acceptedBy.length === 0);
  return (
    <OrderPanel
      order={order}
      status={status}
      staff
      compact
      documentCountries={documentCountries(review.case)}
      groundAction={(ground) =>
        open &&
        ground.state === 'STATED' && (
          <ButtonWithReason
            size="xs"
            variant="default"
            disabledReason={ground.confirmable ? obstacle : t('order.grounds.own')}
            loading={sending}
            aria-label={t('order.grounds.confirmWhat', {
              kind: t(`order.grounds.kind.${ground.kind}`),
            })}
            onClick={() => changeOrder({ type: 'confirm', ground: ground.number })}
          >
            {t('order.grounds.confirm')}
          </ButtonWithReason>
        )
      }
      acceptAction={
        open && (
          <ButtonWithReason
            size="xs"
            mt="xs"
            variant="default"
            disabledReason={mine && !others ? t('order.restated.own') : obstacle}
            loading={sending}
            onClick={() => changeOrder({ type: 'accept' })}
          >
            {t('order.restated.accept')}
          </ButtonWithReason>
        )
      }
    >
      {open && isRead(order, status) && !order.covered && (
        <GroundForm
          order={order}
          obstacle={obstacle}
          sending={sending}
          onSend={(kind, explanation) =>
            changeOrder({ type: 'state', ground: { kind, explanation } })
          }
        />
      )}
    </OrderPanel>
  );
}

/** The countries that the document, and no payment order, states. */
function documentCountries({ differences, fieldForm }: ReadableReview['case']): string[] {
  const different = differences.find(({ field }) => field === 'country');
  const field = fieldForm.find(({ name }) => name === 'country')?.field;
  const values = different?.values ?? (field ? [{ ...field, value: field.normalised }] : []);
  const stated = values.filter(({ source, value }) => source !== 'DECLARED' && value !== '');
  return [...new Set(stated.map(({ value }) => value))];
}

/** The case lacks the order that its process requires. */
function MissingOrder() {
  const { t } = useTranslation();
  return (
    <section className="cs-card" aria-labelledby="payment-order">
      <Title order={2} id="payment-order" mb="xs">
        {t('order.title')}
      </Title>
      <Notice tone="bad" icon="alert">
        <Text size="sm">{t('order.missing.staff')}</Text>
      </Notice>
    </section>
  );
}

/** States a ground. The text stays until the order shows the ground. */
function GroundForm({
  order,
  obstacle,
  sending,
  onSend,
}: {
  order: Order;
  obstacle: string | null;
  sending: boolean;
  onSend: (kind: OrderGroundKind, explanation: string) => void;
}) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<OrderGroundKind | ''>('');
  const [explanation, setExplanation] = useState('');
  // Only a ground that says what was typed empties the form: another person may state one meanwhile.
  const stated = order.grounds.some(
    (one) => one.kind === kind && one.explanation === explanation.trim(),
  );
  useEffect(() => {
    if (!stated) return;
    setKind('');
    setExplanation('');
  }, [stated]);
  if (order.possibleGrounds.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('order.grounds.none')}
      </Text>
    );
  const missing = kind === '' ? t('order.grounds.choose') : t('order.faults.explanation');
  const incomplete = kind === '' || explanation.trim() === '';
  return (
    <details>
      <summary>{t('order.grounds.add')}</summary>
      <NativeSelect
        mt="xs"
        label={t('order.grounds.kindLabel')}
        value={kind}
        onChange={(event) =>
          setKind(order.possibleGrounds.find((one) => one === event.currentTarget.value) ?? '')
        }
        data={[
          { value: '', label: t('order.grounds.choose') },
          ...order.possibleGrounds.map((one) => ({
            value: one,
            label: t(`order.grounds.kind.${one}`),
          })),
        ]}
      />
      <Textarea
        mt="xs"
        label={t('order.grounds.explanation')}
        description={t('order.grounds.explanationHint')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={OrderGroundInput.explanation}
        value={explanation}
        onChange={(event) => setExplanation(event.currentTarget.value)}
      />
      <Group mt="xs">
        <ButtonWithReason
          size="xs"
          disabledReason={obstacle ?? (incomplete ? missing : null)}
          loading={sending}
          onClick={() => kind !== '' && onSend(kind, explanation.trim())}
        >
          {t('order.grounds.send')}
        </ButtonWithReason>
      </Group>
    </details>
  );
}

/** Why the user cannot change the order now; null if they can. */
function obstacleText(
  t: TFunction<'translation'>,
  language: string,
  snapshot: ReviewSnapshot,
  { correct }: Reasons,
): string | null {
  if (!correct.allowed && !claimCodes.has(correct.code ?? ''))
    return refusalMessage(t, language, {
      code: correct.code ?? '',
      message: correct.sentence,
      values: correct.values,
    });
  if (snapshot.matches({ mine: 'editing' })) return t('differences.obstacle.unsaved');
  if (!snapshot.matches('mine') && !snapshot.matches('saving'))
    return t('differences.obstacle.notYours');
  return snapshot.can({ type: 'STATE' }) ? null : t('review.decide.under');
}
