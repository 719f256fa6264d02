// Builds a diagram from a process graph and the position of a case in it.
import type { TFunction } from 'i18next';
import type { DeclaredAttribute } from '../../lib/attributes';
import { documentStates } from '../../lib/document-states';
import { processVocabulary } from '../../lib/guard';
import { guardWords } from '../../lib/guard-words';
import { queueLabel, statusLabel } from '../../lib/labels';
import {
  type Diagram,
  type DiagramEdge,
  type DiagramNode,
  type NodeKind,
  type NodeState,
  nodeKinds,
  shortened,
} from './drawing';

/** A process graph as the server returns it. */
export interface ProcessGraphData {
  nodes: readonly {
    id: string;
    kind: string;
    label: string;
    labels: readonly { name: string; value: string }[];
    /** The node that calls the process to which this node belongs, '' if there is none. */
    within: string;
    queue: string;
    seats: number;
    quorum: number;
    decideBy: string;
    votesHidden: boolean;
    /** How long before a deadline people are reminded. */
    remind?: readonly string[];
  }[];
  lines: readonly { id: string; from: string; to: string; kind: string; label: string }[];
  /** How long after a return the submitter is reminded, such as 72h; null for never. */
  remindSubmitter?: string | null;
  /** What conditions about the submission compare. */
  attributes?: readonly DeclaredAttribute[] | undefined;
}

/** The position of a case in its process. */
export interface CasePosition {
  tokens: readonly { node: string; visit: number }[];
  visits: readonly { node: string; visit: number }[];
  /** The node of the open incident. */
  failed: string | null;
  /** The node where the case continues after the submitter's answer. */
  returnsTo: string | null;
}

/** A path through the process, and the faulty node. */
export interface TracedPath {
  path: readonly { event: string; node: string }[];
  fault: string;
}

/** The node of the text around a node of a called process, such as kyc of kyc/identity. */
export const outermost = (id: string) => id.split('/')[0] ?? id;

const anywhereId = '*anywhere';

interface DiagramOptions {
  t: TFunction<'translation'>;
  language: string;
  position?: CasePosition | null | undefined;
  trace?: TracedPath | null | undefined;
}

/** The diagram of the graph. */
export function drawingOf(graph: ProcessGraphData, options: DiagramOptions): Diagram {
  const abandons = graph.lines.some(({ from }) => from === '');
  const nodes: DiagramNode[] = graph.nodes.map((node) => drawnNode(node, options));
  // First, because no edge leads to it: ELK keeps the order of nodes that edges do not determine.
  if (abandons)
    nodes.unshift({ id: anywhereId, kind: 'anywhere', label: options.t('ui.graph.anywhere') });
  return { nodes, lines: graph.lines.map((line) => drawnLine(line, graph, options)) };
}

function kindOf(kind: string): NodeKind {
  return nodeKinds.find((one) => one === kind) ?? 'stage';
}

/** The label of a node in the language; start and end nodes have none of their own. */
export function nodeName(
  node: ProcessGraphData['nodes'][number],
  { t, language }: Pick<DiagramOptions, 't' | 'language'>,
): string {
  const own = node.labels.find(({ name }) => name === language)?.value;
  if (own) return own;
  const status = documentStates.find((one) => node.kind === 'end' && one === node.id);
  if (status) return statusLabel(t, status, true);
  return node.kind === 'start' ? t('ui.graph.start') : node.label;
}

function drawnNode(node: ProcessGraphData['nodes'][number], options: DiagramOptions): DiagramNode {
  const kind = kindOf(node.kind);
  const { position, trace } = options;
  const steps = (trace?.path ?? []).flatMap((step, index) =>
    step.node === node.id ? [index + 1] : [],
  );
  return {
    id: node.id,
    kind,
    label: nodeName(node, options),
    ...(node.within !== '' && { within: node.within }),
    note: noteOf(node, options),
    ...(node.remind && node.remind.length > 0 && { reminders: node.remind.join(', ') }),
    ...(position && { state: stateOf(node.id, kind, position) }),
    ...(steps.length > 0 && { steps }),
    ...(trace?.fault === node.id && { fault: true }),
  };
}

function stateOf(id: string, kind: NodeKind, position: CasePosition): NodeState {
  if (position.failed === id) return 'failed';
  if (position.returnsTo === id) return 'asks';
  if (position.tokens.some((token) => token.node === id)) {
    if (kind === 'review') return 'asks';
    return kind === 'join' || kind === 'timer' ? 'waits' : 'active';
  }
  return position.visits.some((visit) => visit.node === id && visit.visit > 0) ? 'done' : 'idle';
}

function noteOf(
  node: ProcessGraphData['nodes'][number],
  { t, position }: DiagramOptions,
): string | undefined {
  const parts: string[] = [];
  if (position?.returnsTo === node.id) parts.push(t('ui.graph.submitterAsked'));
  else if (node.kind === 'review') {
    parts.push(
      node.seats > 1
        ? t(seatsText(node.decideBy), {
            queue: queueLabel(t, node.queue),
            quorum: node.quorum,
            seats: node.seats,
          })
        : t('ui.graph.queue', { queue: queueLabel(t, node.queue) }),
    );
    if (node.votesHidden) parts.push(t('ui.graph.votesHidden'));
  }
  const visits = position?.visits.find((visit) => visit.node === node.id)?.visit ?? 0;
  if (visits > 1) parts.push(t('ui.graph.visits', { count: visits }));
  return parts.length > 0 ? parts.join(' · ') : undefined;
}

/** The text about the seats of a review, by how their votes decide. */
function seatsText(decideBy: string) {
  if (decideBy === 'majority') return 'ui.graph.majority';
  return decideBy === 'unanimous' ? 'ui.graph.unanimous' : 'ui.graph.seats';
}

function drawnLine(
  line: ProcessGraphData['lines'][number],
  { attributes, remindSubmitter }: ProcessGraphData,
  { t, language, trace }: DiagramOptions,
): DiagramEdge {
  const kind = line.kind.toLowerCase() as DiagramEdge['kind'];
  const label =
    kind === 'branch'
      ? guardWords(t, language, line.label, processVocabulary, attributes)
      : kind === 'return' && remindSubmitter
        ? t('ui.graph.returnReminder', { time: remindSubmitter })
        : edgeLabel(t, kind, line.label);
  const onPath = (trace?.path ?? []).map(({ node }) => node);
  const fault = trace?.fault;
  const marked = onPath.some(
    (node, index) => node === line.from && (onPath[index + 1] ?? fault) === line.to,
  );
  return {
    id: line.id,
    from: line.from === '' ? anywhereId : line.from,
    to: line.to,
    kind,
    ...(label !== '' && { label: shortened(label), title: label }),
    ...(marked && { marked }),
  };
}

function edgeLabel(t: DiagramOptions['t'], kind: DiagramEdge['kind'], label: string): string {
  switch (kind) {
    case 'verdict':
      return t(`ui.graph.verdict.${label}` as 'ui.graph.verdict.approve', { defaultValue: label });
    case 'return':
      return t('ui.graph.verdict.return');
    case 'default':
      return t('ui.graph.otherwise');
    case 'timeout':
      return t('ui.graph.after', { time: label });
    case 'error':
      return label === '' ? t('ui.graph.onError') : label;
    case 'abandon':
      return '';
    default:
      return label;
  }
}

/** The position of the case as text, for screen readers. */
export function positionMessage(drawing: Diagram, t: DiagramOptions['t']): string {
  const positions = drawing.nodes
    .filter((node) => node.state && node.state !== 'idle' && node.state !== 'done')
    .map((node) => `${node.label}: ${t(`ui.graph.state.${node.state as 'active'}`)}`);
  return positions.join('; ');
}
