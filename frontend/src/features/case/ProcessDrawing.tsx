// The process that the case goes by, drawn with where the case stands in it; read and drawn when somebody asks for it.
import { Button, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { CaseEventLine } from '../../graphql/live';
import { drawingOf, positionMessage } from '../../ui/graph/process';
import { Icon } from '../../ui/Icon';
import { ProcessDiagram } from '../../ui/ProcessPicture';
import { ErrorState, LoadingState } from '../../ui/states';
import { CaseProcess } from './case.graphql';
import classes from './case.module.css';
import type { WholeCase } from './IncidentPanel';

interface ProcessDrawingProps {
  one: WholeCase;
  events: readonly CaseEventLine[];
}

export function ProcessDrawing({ one, events }: ProcessDrawingProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  return (
    <div>
      <div className={classes.processHead}>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Icon name="flow" size={15} />}
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          {t(shown ? 'case.process.hide' : 'case.process.show')}
        </Button>
      </div>
      {shown && <Drawn one={one} events={events} />}
    </div>
  );
}

function Drawn({ one, events }: ProcessDrawingProps) {
  const { t, i18n } = useTranslation();
  const [{ data, error }, again] = useQuery({
    query: CaseProcess,
    variables: { id: one.id },
    requestPolicy: 'cache-and-network',
  });
  const newest = events.at(-1)?.seq;
  // biome-ignore lint/correctness/useExhaustiveDependencies: every event can have moved the case on
  useEffect(() => {
    again({ requestPolicy: 'network-only' });
  }, [newest, again]);
  const found = data?.case;
  const drawing = useMemo(() => {
    if (!found?.process.graph) return null;
    const standing = {
      tokens: found.tokens,
      visits: found.visits,
      failed: found.incident?.node ?? null,
      returnsTo: one.status === 'RETURNED' ? returnsTo(events) : null,
    };
    return drawingOf(found.process.graph, { t, language: i18n.language, position: standing });
  }, [found, one.status, events, t, i18n.language]);
  if (!found && error)
    return <ErrorState error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />;
  if (!drawing || !found) return <LoadingState lines={6} />;
  const title =
    found.process.titles.find(({ name }) => name === i18n.language)?.value ||
    found.process.title ||
    one.processKey;
  const where = positionMessage(drawing, t);
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {t('case.process.version', { title, version: found.process.version })}
      </Text>
      <p className="cs-visually-hidden" role="status">
        {where === '' ? t('case.process.over') : where}
      </p>
      <ProcessDiagram drawing={drawing} label={t('case.process.picture', { title })} />
    </>
  );
}

/** The node where the case goes on after the submitter's answer. */
function returnsTo(events: readonly CaseEventLine[]): string | null {
  const returned = events.findLast((event) => event.type === 'case.returned');
  const at = (returned?.body as { reenterAt?: unknown } | null | undefined)?.reenterAt;
  return typeof at === 'string' ? at : null;
}
