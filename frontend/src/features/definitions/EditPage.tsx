// The editor of a process: checks and draws the text while typing, rehearses it on past cases, and
// proposes it.
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { type CasePosition, nodeName } from '../../ui/graph/process';
import { ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { BpmnImport } from './BpmnImport';
import { OneProcess } from './definitions.graphql';
import classes from './definitions.module.css';
import { withoutCalled } from './design/call';
import { Designer } from './design/Designer';
import { useSteps } from './design/use-steps';
import { EditorPanel } from './EditorPanel';
import { localizedName, outdatedCalls, type Problem, sameProblem } from './processes';
import { Rehearsal } from './Rehearsal';
import { starter } from './starter';
import { TemplateList } from './TemplateList';
import { TryCase } from './TryCase';
import { useCheck } from './use-check';
import { useDraftText } from './use-draft-text';

export function EditPage() {
  const { t, i18n } = useTranslation();
  const { key } = useParams({ from: '/signed-in/definitions/$key/edit' });
  const { version, proposal } = useSearch({ from: '/signed-in/definitions/$key/edit' });
  const isNew = key === 'new';
  const [{ data, error }, refetch] = useQuery({
    query: OneProcess,
    variables: { key },
    pause: isNew,
  });
  const versions = data?.processDefinitions.nodes ?? [];
  const base = versions.find((one) => one.version === version) ?? versions[0];
  if (!isNew && !data) {
    return (
      <>
        <PageHeader title={key} />
        {error ? (
          <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
        ) : (
          <LoadingState lines={12} />
        )}
      </>
    );
  }
  const changed = data?.proposals.nodes.find(({ id }) => id === proposal);
  const document =
    changed?.document ?? base?.document ?? data?.proposals.nodes[0]?.document ?? starter;
  const title = base ? localizedName(base.titles, i18n.language, base.title) : key;
  return (
    <>
      <PageHeader title={isNew ? t('definitions.new') : t('definitions.edit.title', { title })}>
        {t('definitions.edit.intro')}{' '}
        <Link to={isNew ? '/definitions' : '/definitions/$key'} params={{ key }}>
          {t('definitions.edit.back')}
        </Link>
      </PageHeader>
      <Editor
        key={`${key} ${base?.version ?? 0} ${changed?.id ?? ''}`}
        processKey={key}
        replaces={changed?.id ?? null}
        baseText={withoutCalled(document)}
        outdated={base !== undefined && outdatedCalls(base).length > 0}
        newest={versions[0]?.version ?? 0}
      />
    </>
  );
}

interface EditorProps {
  processKey: string;
  /** The proposal that is being changed; null if a version is. */
  replaces: string | null;
  /** The text that is being changed. */
  baseText: string;
  /** Whether a process that it calls has a newer version, which a proposal takes up. */
  outdated: boolean;
  /** The number of the newest version, 0 if there is none. */
  newest: number;
}

function Editor({ processKey, replaces, baseText, outdated, newest }: EditorProps) {
  const { t, i18n } = useTranslation();
  const draftKey = replaces ? `${processKey}.${replaces}` : processKey;
  const draft = useDraftText(draftKey, baseText);
  const { text } = draft;
  const steps = useSteps(text, draft.change);
  const imports = useRef(0);
  const state = useCheck(text);
  const { check, current } = state;
  const [chosen, setChosen] = useState<Problem | null>(null);
  // The next check reports an error that is still there as another object.
  const traced = (chosen && check && sameProblem(check.report, chosen)) ?? null;
  const trace = useMemo(() => traced && { path: traced.path, fault: traced.node }, [traced]);
  const names = useMemo(
    () =>
      new Map(
        check?.graph?.nodes.map((node) => [
          node.id,
          nodeName(node, { t, language: i18n.language }),
        ]),
      ),
    [check?.graph, t, i18n.language],
  );
  const [route, setRoute] = useState<TriedRoute | null>(null);
  const position = useMemo(() => (route?.of === text ? positionOf(route) : null), [route, text]);
  const queues = useMemo(() => queuesOf(check?.graph?.nodes ?? noNodes), [check?.graph]);
  const obstacle =
    !current || !check
      ? t('definitions.edit.checking')
      : check.report.sound
        ? null
        : t('definitions.proposals.obstacle.unsound');
  const disabledReason =
    text === baseText && !outdated ? t('definitions.edit.unchanged') : obstacle;
  return (
    <div className={classes.stack}>
      {processKey === 'new' && (
        <TemplateList onChoose={(chosen, key) => steps.change(chosen, `template ${key}`)} />
      )}
      <Designer
        text={text}
        baseText={baseText}
        isNew={newest === 0}
        steps={steps}
        trace={trace}
        position={position}
        title={check?.key ?? ''}
        checked={check?.graph ?? null}
        errors={current && check ? check.report.problems : null}
        chosen={traced}
        onChoose={(problem) => setChosen(traced === problem ? null : problem)}
      />
      <BpmnImport onText={(imported) => steps.change(imported, `import ${++imports.current}`)} />
      <EditorPanel
        kind="process"
        label={t('definitions.edit.label')}
        draftKey={draftKey}
        draft={{ ...draft, change: (next) => steps.change(next, 'text') }}
        baseText={baseText}
        newest={newest}
        state={state}
        nodes={check?.graph?.nodes ?? noNodes}
        disabledReason={disabledReason}
        chosen={traced}
        onChoose={(problem) => setChosen(traced === problem ? null : problem)}
        replaces={replaces}
      />
      <TryCase
        text={text}
        obstacle={obstacle}
        names={names}
        onRoute={(of, nodes, stopped) => setRoute({ of, nodes, stopped })}
      />
      {newest > 0 && (
        <Rehearsal
          processKey={processKey}
          text={text}
          ready={disabledReason === null}
          names={names}
          queues={queues}
        />
      )}
    </div>
  );
}

/** The route of a made-up case through a text. */
interface TriedRoute {
  of: string;
  nodes: readonly string[];
  /** The node at which the case stops. */
  stopped: string | null;
}

/** The route as the position of a case that has passed it. */
const positionOf = ({ nodes, stopped }: TriedRoute): CasePosition => ({
  tokens: [],
  visits: nodes.map((node) => ({ node, visit: 1 })),
  failed: stopped,
  returnsTo: null,
});

interface GraphNode {
  id: string;
  line: number;
  kind: string;
  queue: string;
}

const noNodes: readonly GraphNode[] = [];

/** The queues of the reviews of a process. */
function queuesOf(nodes: readonly GraphNode[]): string[] {
  const queues = nodes.filter(({ kind }) => kind === 'review').map(({ queue }) => queue);
  return [...new Set(queues)].sort();
}
