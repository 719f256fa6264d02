// The line of the steps of a case, with the process diagram for people who see its position.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { CaseEventLine } from '../../graphql/live';
import type { DocumentStatus } from '../../lib/document-status';
import { lateSteps, lifeLine, publicLine } from '../../lib/life-line';
import { usePerson } from '../../lib/session';
import { nodeName } from '../../ui/graph/process';
import { StatusTimeline, StepLine } from '../../ui/StatusTimeline';
import { LoadingState } from '../../ui/states';
import { CaseProcessDiagram, returnsTo } from './CaseProcessDiagram';
import type { CaseData } from './IncidentPanel';
import { CaseProcess } from './process.graphql';

interface CaseLifeProps {
  caseData: CaseData;
  events: readonly CaseEventLine[];
  status: DocumentStatus;
}

export function CaseLife({ caseData, events, status }: CaseLifeProps) {
  return (
    <div className="cs-card">
      {caseData.chain ? (
        <>
          <ProcessLine caseData={caseData} events={events} status={status} />
          <CaseProcessDiagram caseData={caseData} events={events} />
        </>
      ) : (
        <PublicLine caseData={caseData} events={events} status={status} />
      )}
    </div>
  );
}

/** The line by public events, for people who may not see the position of the case. */
function PublicLine({ caseData, events, status }: CaseLifeProps) {
  const { t, i18n } = useTranslation();
  const mine = useIsMine(caseData);
  const [{ data, error }] = useQuery({ query: CaseProcess, variables: { id: caseData.id } });
  const graph = data?.case?.process.graph;
  if (!data && !error) return <LoadingState lines={2} />;
  if (!graph) return <StatusTimeline status={status} mine={mine} />;
  const review = status.automatic ? 'automatic' : 'review';
  const steps = publicLine(graph, events, status).map(({ node, mark }) => ({
    id: node?.id ?? '*review',
    mark,
    label: node ? nodeName(node, { t, language: i18n.language }) : t(`caseLabels.steps.${review}`),
  }));
  return (
    <StepLine
      steps={[{ id: '*uploaded', mark: 'done', label: t('caseLabels.steps.uploaded') }, ...steps]}
      mine={mine}
      over={status.state === 'abandoned' || status.state === 'rejected'}
      waits={status.state === 'in_review'}
    />
  );
}

/** Whether the user submitted the case. */
function useIsMine({ submitter }: CaseData): boolean {
  const person = usePerson();
  return person !== null && submitter?.id === person.id;
}

function ProcessLine({ caseData, events, status }: CaseLifeProps) {
  const { t, i18n } = useTranslation();
  const mine = useIsMine(caseData);
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
  const graph = caseProcess?.process.graph;
  if (!data && !error) return <LoadingState lines={2} />;
  if (!caseProcess || !graph) return <StatusTimeline status={status} mine={mine} />;
  const late = lateSteps(graph, caseProcess.visits, events);
  const steps = lifeLine(graph, {
    tokens: caseProcess.tokens,
    visits: caseProcess.visits,
    failed: caseProcess.incident?.node ?? null,
    returnsTo: caseData.status === 'RETURNED' ? returnsTo(events) : null,
  }).map(({ node, mark, visits }) => {
    const name = nodeName(node, { t, language: i18n.language });
    const full =
      node.kind === 'review' ? t('case.process.reviewStep', { name, level: node.level }) : name;
    const level =
      mark === 'done' && late.has(node.id) ? t('case.process.late', { name: full }) : full;
    return {
      id: node.id,
      mark,
      label: visits > 1 ? t('case.process.again', { name: level, visits }) : level,
    };
  });
  // A viewer who may not see the open review sees no active node, only that there is a review.
  if (caseData.status === 'IN_REVIEW' && steps.every(({ mark }) => mark !== 'now'))
    steps.push({ id: '*review', mark: 'now', label: t('caseLabels.steps.review') });
  return (
    <StepLine steps={steps} over={status.state === 'abandoned' || status.state === 'rejected'} />
  );
}
