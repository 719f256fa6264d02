// The process diagram of a case with its current position, loaded when it is opened.
import { Button, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { CaseEventLine } from '../../graphql/live';
import { drawingOf, positionMessage } from '../../ui/graph/process';
import { Icon } from '../../ui/Icon';
import { ProcessDiagram } from '../../ui/ProcessDiagram';
import { ErrorState, LoadingState } from '../../ui/states';
import classes from './case.module.css';
import type { CaseData } from './IncidentPanel';
import { CaseProcess } from './process.graphql';

interface CaseProcessDiagramProps {
  caseData: CaseData;
  events: readonly CaseEventLine[];
}

export function CaseProcessDiagram({ caseData, events }: CaseProcessDiagramProps) {
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
      {shown && <DiagramPanel caseData={caseData} events={events} />}
    </div>
  );
}

function DiagramPanel({ caseData, events }: CaseProcessDiagramProps) {
  const { t, i18n } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: CaseProcess,
    variables: { id: caseData.id },
    requestPolicy: 'cache-and-network',
  });
  const newest = events.at(-1)?.seq;
  // biome-ignore lint/correctness/useExhaustiveDependencies: every event may change the position
  useEffect(() => {
    refetch({ requestPolicy: 'network-only' });
  }, [newest, refetch]);
  const caseProcess = data?.case;
  const diagram = useMemo(() => {
    if (!caseProcess?.process.graph) return null;
    const position = {
      tokens: caseProcess.tokens,
      visits: caseProcess.visits,
      failed: caseProcess.incident?.node ?? null,
      returnsTo: caseData.status === 'RETURNED' ? returnsTo(events) : null,
    };
    return drawingOf(caseProcess.process.graph, { t, language: i18n.language, position });
  }, [caseProcess, caseData.status, events, t, i18n.language]);
  if (!caseProcess && error)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!diagram || !caseProcess) return <LoadingState lines={6} />;
  const title =
    caseProcess.process.titles.find(({ name }) => name === i18n.language)?.value ||
    caseProcess.process.title ||
    caseData.processKey;
  const positionText = positionMessage(diagram, t);
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {t('case.process.version', { title, version: caseProcess.process.version })}
      </Text>
      <p className="cs-visually-hidden" role="status">
        {positionText === '' ? t('case.process.over') : positionText}
      </p>
      <ProcessDiagram diagram={diagram} label={t('case.process.picture', { title })} />
    </>
  );
}

/** The node where the case continues after the submitter's answer. */
export function returnsTo(events: readonly CaseEventLine[]): string | null {
  const returned = events.findLast((event) => event.type === 'case.returned');
  const at = (returned?.body as { reenterAt?: unknown } | null | undefined)?.reenterAt;
  return typeof at === 'string' ? at : null;
}
