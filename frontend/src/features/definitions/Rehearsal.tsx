// Shows which of the last cases would have taken a different route with this text.
import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { RehearseQuery } from '../../graphql/generated/graphql';
import { failureMessage } from '../../lib/labels';
import { type Failure, failureOf } from '../../lib/refusals';
import { ButtonWithReason } from '../../ui/buttons';
import { Notice } from '../../ui/states';
import { Rehearse } from './definitions.graphql';
import classes from './definitions.module.css';

const sampleSize = 100;

type Result = RehearseQuery['rehearseProcessDefinition'];

interface RehearsalProps {
  text: string;
  ready: boolean;
  /** The labels of the steps by id. */
  names: ReadonlyMap<string, string>;
}

export function Rehearsal({ text, ready, names }: RehearsalProps) {
  const { t, i18n } = useTranslation();
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [rehearsal, setRehearsal] = useState<{
    text: string;
    result: Result | null;
    failure: Failure | null;
  } | null>(null);
  const rehearse = async () => {
    setBusy(true);
    const variables = { document: text, last: sampleSize };
    const response = await client
      .query(Rehearse, variables, { requestPolicy: 'network-only' })
      .toPromise();
    setBusy(false);
    setRehearsal({
      text,
      result: response.data?.rehearseProcessDefinition ?? null,
      failure: response.error ? failureOf(response.error) : null,
    });
  };
  const result = rehearsal?.text === text ? rehearsal.result : null;
  return (
    <section className="cs-card" aria-labelledby="rehearsal">
      <Group justify="space-between" gap="sm">
        <Title order={2} id="rehearsal">
          {t('definitions.rehearsal.title')}
        </Title>
        <ButtonWithReason
          disabledReason={ready ? null : t('definitions.rehearsal.notReady')}
          variant="default"
          loading={busy}
          onClick={() => void rehearse()}
        >
          {t('definitions.rehearsal.ask', { last: sampleSize })}
        </ButtonWithReason>
      </Group>
      <Text size="sm" c="dimmed">
        {t('definitions.rehearsal.intro')}
      </Text>
      {rehearsal?.failure && (
        <Notice tone="warn">{failureMessage(t, i18n.language, rehearsal.failure).message}</Notice>
      )}
      {result && (
        <div role="status">
          <Text fw={600} mt="sm">
            {t('definitions.rehearsal.result', { count: result.cases, same: result.same })}
          </Text>
          <ul className={classes.resultList}>
            {result.different.map((one) => (
              <li key={one.caseId}>
                <Link to="/cases/$id" params={{ id: one.caseId }}>
                  {one.reference}
                </Link>{' '}
                <Text size="sm" span>
                  {differenceText(t, one, names)}
                </Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function differenceText(
  t: TFunction<'translation'>,
  difference: Result['different'][number],
  names: ReadonlyMap<string, string>,
): string {
  if (difference.problem) return difference.problem;
  const labels = (nodes: readonly string[]) =>
    nodes.map((node) => names.get(node) ?? node).join(', ');
  const parts = [
    difference.addedReviews.length > 0 &&
      t('definitions.rehearsal.added', { nodes: labels(difference.addedReviews) }),
    difference.droppedReviews.length > 0 &&
      t('definitions.rehearsal.dropped', { nodes: labels(difference.droppedReviews) }),
  ].filter((part) => part !== false);
  if (parts.length > 0) return parts.join('; ');
  const added = labels(difference.after.filter((node) => !difference.before.includes(node)));
  const dropped = labels(difference.before.filter((node) => !difference.after.includes(node)));
  return t('definitions.rehearsal.nodes', { added: added || '–', dropped: dropped || '–' });
}
