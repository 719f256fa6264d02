// Which of the last cases would have gone another way by the text.
import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { RehearseQuery } from '../../graphql/generated/graphql';
import { type Failure, failureOf } from '../../lib/refusals';
import { failureMessage } from '../../lib/words';
import { ButtonWithReason } from '../../ui/buttons';
import { Notice } from '../../ui/states';
import { Rehearse } from './definitions.graphql';
import classes from './definitions.module.css';

const last = 100;

type Result = RehearseQuery['rehearseProcessDefinition'];

interface RehearsalProps {
  text: string;
  ready: boolean;
  /** The steps of the text by their ids, as they are called. */
  names: ReadonlyMap<string, string>;
}

export function Rehearsal({ text, ready, names }: RehearsalProps) {
  const { t, i18n } = useTranslation();
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState<{
    text: string;
    result: Result | null;
    failure: Failure | null;
  } | null>(null);
  const ask = async () => {
    setBusy(true);
    const variables = { document: text, last };
    const answer = await client
      .query(Rehearse, variables, { requestPolicy: 'network-only' })
      .toPromise();
    setBusy(false);
    setTold({
      text,
      result: answer.data?.rehearseProcessDefinition ?? null,
      failure: answer.error ? failureOf(answer.error) : null,
    });
  };
  const result = told?.text === text ? told.result : null;
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
          onClick={() => void ask()}
        >
          {t('definitions.rehearsal.ask', { last })}
        </ButtonWithReason>
      </Group>
      <Text size="sm" c="dimmed">
        {t('definitions.rehearsal.intro')}
      </Text>
      {told?.failure && (
        <Notice tone="warn">{failureMessage(t, i18n.language, told.failure).message}</Notice>
      )}
      {result && (
        <div role="status">
          <Text fw={600} mt="sm">
            {t('definitions.rehearsal.result', { count: result.cases, same: result.same })}
          </Text>
          <ul className={classes.rehearsed}>
            {result.different.map((one) => (
              <li key={one.caseId}>
                <Link to="/cases/$id" params={{ id: one.caseId }}>
                  {one.reference}
                </Link>{' '}
                <Text size="sm" span>
                  {wordsOf(t, one, names)}
                </Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function wordsOf(
  t: TFunction<'translation'>,
  one: Result['different'][number],
  names: ReadonlyMap<string, string>,
): string {
  if (one.problem) return one.problem;
  const named = (nodes: readonly string[]) =>
    nodes.map((node) => names.get(node) ?? node).join(', ');
  const parts = [
    one.addedReviews.length > 0 &&
      t('definitions.rehearsal.added', { nodes: named(one.addedReviews) }),
    one.droppedReviews.length > 0 &&
      t('definitions.rehearsal.dropped', { nodes: named(one.droppedReviews) }),
  ].filter((part) => part !== false);
  if (parts.length > 0) return parts.join('; ');
  const added = named(one.after.filter((node) => !one.before.includes(node)));
  const dropped = named(one.before.filter((node) => !one.after.includes(node)));
  return t('definitions.rehearsal.nodes', { added: added || '–', dropped: dropped || '–' });
}
