// The payment order of a case. The submitter of a returned case restates it here; reviewers act on
// it in their review.
import { Button, Group, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { OrderGroundInput, OrderInput } from '../../graphql/generated/bounds';
import {
  draftOf,
  emptyOrder,
  isCompleteOrder,
  orderInputOf,
  placedRefusals,
} from '../../lib/order-form';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import { ButtonWithReason } from '../../ui/buttons';
import { OrderFields } from '../../ui/order/OrderFields';
import { OrderPanel } from '../../ui/order/OrderPanel';
import classes from '../../ui/order/order.module.css';
import { DoneNotice, Notice, RefusalAlert } from '../../ui/states';
import { RestateOrder } from './case.graphql';
import type { CaseData } from './IncidentPanel';

type Order = NonNullable<CaseData['order']>;

export function CaseOrder({ caseData, onChanged }: { caseData: CaseData; onChanged: () => void }) {
  const person = usePerson();
  const { order } = caseData;
  if (!order)
    return caseData.process.order === 'REQUIRED' && !caseData.corrects && !caseData.final ? (
      <MissingOrder caseData={caseData} onChanged={onChanged} />
    ) : null;
  return (
    <OrderPanel
      order={order}
      status={caseData.status}
      staff={hasRole(person, ...reviewerRoles, 'auditor')}
    >
      {order.restatable && caseData.mayEnter.allowed && (
        <Restate caseData={caseData} order={order} onChanged={onChanged} />
      )}
    </OrderPanel>
  );
}

/** A case without the order that its process requires; a correction case requires none. */
function MissingOrder({ caseData, onChanged }: { caseData: CaseData; onChanged: () => void }) {
  const { t } = useTranslation();
  const person = usePerson();
  const allowed =
    caseData.status === 'RETURNED' &&
    caseData.submitter?.id === person?.id &&
    caseData.mayEnter.allowed;
  return (
    <section className={`cs-card ${classes.panel}`} aria-labelledby="payment-order">
      <Title order={2} id="payment-order">
        {t('order.title')}
      </Title>
      <Notice tone="bad" icon="alert">
        <Text size="sm">{t(allowed ? 'order.missing.own' : 'order.missing.staff')}</Text>
      </Notice>
      {allowed && <Restate caseData={caseData} order={null} onChanged={onChanged} />}
    </section>
  );
}

/** The button that opens the form, and the form. */
function Restate({
  caseData,
  order,
  onChanged,
}: {
  caseData: CaseData;
  order: Order | null;
  onChanged: () => void;
}) {
  const { t } = useTranslation();
  const [restating, setRestating] = useState(false);
  const [done, setDone] = useState(false);
  return (
    <>
      <DoneNotice message={done ? t('order.restate.done') : null} mb={0} />
      {restating ? (
        <RestateForm
          caseData={caseData}
          order={order}
          onStale={onChanged}
          onClose={() => setRestating(false)}
          onDone={() => {
            setRestating(false);
            setDone(true);
            onChanged();
          }}
        />
      ) : (
        <Group>
          <Button variant="default" onClick={() => setRestating(true)}>
            {t(order ? 'order.restate.open' : 'order.missing.open')}
          </Button>
        </Group>
      )}
    </>
  );
}

function RestateForm({
  caseData,
  order,
  onStale,
  onClose,
  onDone,
}: {
  caseData: CaseData;
  /** Null if the case has none yet. */
  order: Order | null;
  /** The case was changed in another session: the page reads it. */
  onStale: () => void;
  onClose: () => void;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const command = useCommand(RestateOrder, (data) => data.restateOrder);
  const [initial] = useState(() => (order ? draftOf(order) : emptyOrder));
  const [draft, setDraft] = useState(initial);
  /** The version that the draft was made from; null once the user has read that there is a later one. */
  const [version, setVersion] = useState<string | null>(caseData.version);
  const [sent, setSent] = useState(initial);
  const { byPart, others } = placedRefusals(command.refusals, sent, draft);
  const unchanged = JSON.stringify(draft) === JSON.stringify(initial);
  const send = async () => {
    setSent(draft);
    const input = {
      caseId: caseData.id,
      expectedVersion: version ?? caseData.version,
      expectedStatus: 'RETURNED' as const,
      order: orderInputOf(draft),
    };
    if (await command.run(input)) onDone();
  };
  const stale = command.refusals.some(({ code }) => code === 'StaleVersion');
  const reread = useRef(onStale);
  reread.current = onStale;
  useEffect(() => {
    if (!stale) return;
    setVersion(null);
    reread.current();
  }, [stale]);
  return (
    <>
      {order && <Text size="sm">{t('order.restate.lead')}</Text>}
      <OrderFields
        draft={draft}
        onChange={setDraft}
        bounds={{ ...OrderInput, explanation: OrderGroundInput.explanation }}
        refusals={byPart}
        strict={order !== null}
        fixed={order !== null}
      />
      <RefusalAlert refusals={others} error={command.error} />
      <Group gap="xs">
        <ButtonWithReason
          disabledReason={
            unchanged && order
              ? t('order.restate.unchanged')
              : isCompleteOrder(draft)
                ? null
                : t('order.form.first')
          }
          loading={command.busy}
          onClick={() => void send()}
        >
          {t(order ? 'order.restate.send' : 'order.missing.send')}
        </ButtonWithReason>
        <Button variant="default" onClick={onClose} disabled={command.busy}>
          {t('ui.cancel')}
        </Button>
      </Group>
    </>
  );
}
