// The payment order of the next file, for processes that pay. The server's refusals of the upload
// are shown beside its values, and the same file can be sent again.
import { Button, Group, Text, Title } from '@mantine/core';
import { useSelector } from '@xstate/react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { OrderGroundInput, OrderInput } from '../../graphql/generated/bounds';
import { emptyOrder, isCompleteOrder, type OrderDraft, placedRefusals } from '../../lib/order-form';
import type { Refusal } from '../../lib/refusals';
import { ButtonWithReason } from '../../ui/buttons';
import { OrderFields } from '../../ui/order/OrderFields';
import type { UploadItem } from './batch';
import classes from './intake.module.css';

interface IntakeOrderProps {
  order: OrderDraft | null;
  /** The process refuses a file without an order. */
  required: boolean;
  sent: { item: UploadItem; order: OrderDraft } | null;
  onChange: (next: OrderDraft | null) => void;
  onAgain: (file: File) => void;
}

export function IntakeOrder(props: IntakeOrderProps) {
  const { order, required, sent, onChange } = props;
  const { t } = useTranslation();
  if (order === null)
    return (
      <Group>
        <Button variant="default" onClick={() => onChange(emptyOrder)}>
          {t('order.form.add')}
        </Button>
      </Group>
    );
  return (
    <section className={classes.order} aria-labelledby="intake-order">
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h4" id="intake-order">
          {t('order.title')}
        </Title>
        {!required && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChange(null)}>
            {t('order.form.remove')}
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {t('order.form.lead')}
        {required && ` ${t('order.form.required')}`}
      </Text>
      {sent ? (
        <SentOrder key={sent.item.key} {...props} order={order} sent={sent} />
      ) : (
        <Fields order={order} onChange={onChange} refusals={{}} />
      )}
    </section>
  );
}

/** The form while its order is being sent, and after a refusal. */
function SentOrder({
  order,
  sent,
  onChange,
  onAgain,
}: IntakeOrderProps & { order: OrderDraft; sent: NonNullable<IntakeOrderProps['sent']> }) {
  const { t } = useTranslation();
  const { state, file, refusals } = useSelector(
    sent.item.actor,
    (snapshot) => ({
      state: snapshot.value,
      file: snapshot.context.file,
      refusals: snapshot.context.refusals,
    }),
    (a, b) => a.state === b.state && a.refusals === b.refusals,
  );
  // The payer is kept for the next order; the reference must be another one.
  const { payer } = sent.order.values;
  useEffect(() => {
    if (state === 'received') onChange({ ...emptyOrder, values: { ...emptyOrder.values, payer } });
  });
  const { byPart } = placedRefusals(refusals, sent.order, order);
  const resendable = state === 'refused' || state === 'cancelled';
  return (
    <>
      <Fields order={order} onChange={onChange} refusals={state === 'refused' ? byPart : {}} />
      {resendable && (
        <Group>
          <ButtonWithReason
            disabledReason={isCompleteOrder(order) ? null : t('order.form.first')}
            onClick={() => onAgain(file)}
          >
            {t('order.form.again')}
          </ButtonWithReason>
          <Text size="sm" className="cs-lines2" title={file.name}>
            {file.name}
          </Text>
        </Group>
      )}
    </>
  );
}

function Fields({
  order,
  onChange,
  refusals,
}: {
  order: OrderDraft;
  onChange: (next: OrderDraft) => void;
  refusals: Partial<Record<string, Refusal>>;
}) {
  return (
    <OrderFields
      draft={order}
      onChange={onChange}
      bounds={{ ...OrderInput, explanation: OrderGroundInput.explanation }}
      refusals={refusals}
    />
  );
}
