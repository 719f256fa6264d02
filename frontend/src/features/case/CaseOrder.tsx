// The payment order of a case. The submitter of a returned case restates it here; reviewers act on
// it in their review.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { OrderGroundInput, OrderInput } from '../../graphql/generated/bounds';
import { draftOf, isCompleteOrder, orderInputOf, placedRefusals } from '../../lib/order';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import { ButtonWithReason } from '../../ui/buttons';
import { OrderFields } from '../../ui/order/OrderFields';
import { OrderPanel } from '../../ui/order/OrderPanel';
import { DoneNotice, RefusalAlert } from '../../ui/states';
import { RestateOrder } from './case.graphql';
import type { CaseData } from './IncidentPanel';

type Order = NonNullable<CaseData['order']>;

export function CaseOrder({ caseData, onChanged }: { caseData: CaseData; onChanged: () => void }) {
  const { t } = useTranslation();
  const person = usePerson();
  const [restating, setRestating] = useState(false);
  const [done, setDone] = useState(false);
  const { order } = caseData;
  if (!order) return null;
  const allowed = order.restatable && caseData.mayEnter.allowed;
  return (
    <OrderPanel
      order={order}
      status={caseData.status}
      staff={hasRole(person, ...reviewerRoles, 'auditor')}
    >
      {allowed && <DoneNotice message={done ? t('order.restate.done') : null} mb={0} />}
      {allowed &&
        (restating ? (
          <RestateForm
            caseData={caseData}
            order={order}
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
              {t('order.restate.open')}
            </Button>
          </Group>
        ))}
    </OrderPanel>
  );
}

function RestateForm({
  caseData,
  order,
  onClose,
  onDone,
}: {
  caseData: CaseData;
  order: Order;
  onClose: () => void;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const command = useCommand(RestateOrder, (data) => data.restateOrder);
  const [initial] = useState(() => draftOf(order));
  const [draft, setDraft] = useState(initial);
  const [sent, setSent] = useState(initial);
  const { byPart, others } = placedRefusals(command.refusals, sent, draft);
  const unchanged = JSON.stringify(draft) === JSON.stringify(initial);
  const send = async () => {
    setSent(draft);
    const input = {
      caseId: caseData.id,
      expectedVersion: caseData.version,
      expectedStatus: 'RETURNED' as const,
      order: orderInputOf(draft),
    };
    if (await command.run(input)) onDone();
  };
  return (
    <>
      <Text size="sm">{t('order.restate.lead')}</Text>
      <OrderFields
        draft={draft}
        onChange={setDraft}
        bounds={{ ...OrderInput, explanation: OrderGroundInput.explanation }}
        refusals={byPart}
        strict
        fixed
      />
      <RefusalAlert refusals={others} error={command.error} />
      <Group gap="xs">
        <ButtonWithReason
          disabledReason={
            unchanged
              ? t('order.restate.unchanged')
              : isCompleteOrder(draft)
                ? null
                : t('order.form.first')
          }
          loading={command.busy}
          onClick={() => void send()}
        >
          {t('order.restate.send')}
        </ButtonWithReason>
        <Button variant="default" onClick={onClose} disabled={command.busy}>
          {t('ui.cancel')}
        </Button>
      </Group>
    </>
  );
}
