// Takes a made-up case through the process of the text, and lights its route on the drawing.
import {
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { Severity, TryProcessQuery } from '../../graphql/generated/graphql';
import { statedInput } from '../../lib/attributes';
import { documentTypeLabels, failureMessage, statusLabel } from '../../lib/labels';
import { type Failure, failureOf } from '../../lib/refusals';
import { AttributeFields } from '../../ui/attributes/AttributeFields';
import { ButtonWithReason } from '../../ui/buttons';
import { Notice } from '../../ui/states';
import { TryProcess } from './definitions.graphql';
import { declaredIn } from './design/attributes';
import { acceptedTypes, hasDocuments } from './design/documents';
import { useChoices } from './design/use-choices';
import { fieldsOf } from './tried-fields';

const severities = ['info', 'warning', 'blocking'] as const;

type Trial = TryProcessQuery['tryProcessDefinition'];

interface TryCaseProps {
  text: string;
  /** Why the text cannot be tried now; null if it can. */
  obstacle: string | null;
  /** The labels of the steps by id. */
  names: ReadonlyMap<string, string>;
  /** Receives the nodes of the route. */
  onRoute: (text: string, nodes: readonly string[], stopped: string | null) => void;
}

export function TryCase({ text, obstacle, names, onRoute }: TryCaseProps) {
  const { t, i18n } = useTranslation();
  const client = useClient();
  const { documentTypes } = useChoices();
  const [made, setMade] = useState({
    amount: '',
    currency: 'USD',
    country: '',
    type: '',
    risk: 0,
    finding: '',
    fields: '',
  });
  const [tried, setTried] = useState<{
    text: string;
    trial: Trial | null;
    failure: Failure | null;
  } | null>(null);
  const put = (change: Partial<typeof made>) => setMade({ ...made, ...change });
  const fields = fieldsOf(made.fields);
  const [stated, setStated] = useState<Record<string, string>>({});
  const declared = useMemo(() => declaredIn(text), [text]);
  const documents = useMemo(() => hasDocuments(text), [text]);
  const own = useMemo(() => acceptedTypes(text), [text]);
  const unpublished = own.filter((type) => !documentTypes.includes(type));
  const [supporting, setSupporting] = useState(false);
  const run = async () => {
    if (!fields) return;
    const { amount, currency, country, type, risk, finding } = made;
    const response = await client
      .query(
        TryProcess,
        {
          document: text,
          case: {
            ...(amount.trim() !== '' && { amount: { amount: amount.trim(), currency } }),
            ...(country !== '' && { country }),
            ...(type !== '' && { documentType: type }),
            risk,
            fields,
            attributes: statedInput(declared, stated),
            // Refused for a process that has none.
            ...(documents && { supportingDocuments: supporting }),
            findings: finding === '' ? [] : [{ rule: 'tried', severity: finding as Severity }],
          },
        },
        { requestPolicy: 'network-only' },
      )
      .toPromise();
    const trial = response.data?.tryProcessDefinition ?? null;
    setTried({ text, trial, failure: response.error ? failureOf(response.error) : null });
    onRoute(text, trial?.nodes ?? [], trial?.problemNode ?? null);
  };
  const problem = fields ? null : t('definitions.try.fieldsWrong');
  return (
    <section className="cs-card" aria-labelledby="try">
      <Title order={2} id="try">
        {t('definitions.try.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('definitions.try.intro')}
      </Text>
      <Group align="flex-start" gap="sm">
        <TextInput
          label={t('definitions.try.amount')}
          placeholder={t('definitions.try.unknown')}
          maxLength={40}
          value={made.amount}
          onChange={(event) => put({ amount: event.currentTarget.value })}
        />
        <TextInput
          label={t('definitions.try.currency')}
          w={90}
          maxLength={3}
          value={made.currency}
          onChange={(event) => put({ currency: event.currentTarget.value.toUpperCase() })}
        />
        <TextInput
          label={t('definitions.try.country')}
          w={90}
          maxLength={2}
          value={made.country}
          onChange={(event) => put({ country: event.currentTarget.value.toUpperCase() })}
        />
        <NativeSelect
          label={t('definitions.try.type')}
          value={made.type}
          onChange={(event) => put({ type: event.currentTarget.value })}
          data={[
            { value: '', label: '–' },
            ...documentTypes.map((value) => ({ value, label: documentTypeLabels(t, [value]) })),
            ...unpublished.map((value) => ({
              value,
              label: t('definitions.try.unpublished', { type: documentTypeLabels(t, [value]) }),
            })),
          ]}
        />
        <NativeSelect
          label={t('definitions.try.finding')}
          value={made.finding}
          onChange={(event) => put({ finding: event.currentTarget.value })}
          data={[
            { value: '', label: t('definitions.try.noFinding') },
            ...severities.map((value) => ({
              value: value.toUpperCase(),
              label: t(`review.findings.${value}`),
            })),
          ]}
        />
        <NumberInput
          label={t('definitions.try.risk')}
          w={100}
          min={0}
          max={100}
          value={made.risk}
          onChange={(value) => put({ risk: Number(value) || 0 })}
        />
      </Group>
      <Textarea
        mt="xs"
        label={t('definitions.try.fields')}
        description={t('definitions.try.fieldsHint')}
        autosize
        minRows={1}
        maxRows={6}
        error={problem}
        value={made.fields}
        onChange={(event) => put({ fields: event.currentTarget.value })}
      />
      <AttributeFields
        title={t('definitions.try.attributes')}
        declared={declared}
        values={stated}
        onChange={setStated}
      />
      {documents && (
        <Checkbox
          mt="sm"
          label={t('definitions.try.supporting')}
          checked={supporting}
          onChange={({ currentTarget: { checked } }) => setSupporting(checked)}
        />
      )}
      <Group mt="sm">
        <ButtonWithReason
          disabledReason={obstacle ?? problem}
          variant="default"
          onClick={() => void run()}
        >
          {t('definitions.try.ask')}
        </ButtonWithReason>
      </Group>
      {tried?.failure && (
        <Notice tone="warn">{failureMessage(t, i18n.language, tried.failure).message}</Notice>
      )}
      {tried?.trial && tried.text === text && (
        <div role="status">
          <Text size="sm" mt="sm">
            {routeText(t, tried.trial, names)}
          </Text>
          {tried.trial.problem && <Notice tone="bad">{tried.trial.problem}</Notice>}
        </div>
      )}
    </section>
  );
}

/** The reviews that the case would meet, in order, and its end. */
function routeText(
  t: TFunction<'translation'>,
  { reviews, status, problem }: Trial,
  names: ReadonlyMap<string, string>,
): string {
  const list = reviews
    .map(({ node, queue }) => t('definitions.try.review', { name: names.get(node) ?? node, queue }))
    .join(t('caseLabels.next.comma'));
  const met = reviews.length === 0 ? t('definitions.try.none') : t('definitions.try.met', { list });
  if (problem) return met;
  return `${met} ${t('definitions.try.ends', { status: statusLabel(t, status, true) })}`;
}
