// From a process as the server tells it, and where a case stands in it, to what is drawn.
import type { TFunction } from 'i18next';
import { lifeStates } from '../../lib/document-life';
import { statusWords } from '../../lib/words';
import {
  type Drawing,
  type DrawnLine,
  type DrawnNode,
  type NodeKind,
  type NodeState,
  shortened,
} from './drawing';

/** A process's graph as the server tells it. */
export interface TheGraph {
  nodes: readonly {
    id: string;
    kind: string;
    label: string;
    labels: readonly { name: string; value: string }[];
    queue: string;
    seats: number;
    quorum: number;
  }[];
  lines: readonly { id: string; from: string; to: string; kind: string; label: string }[];
}

/** Where a case stands. */
export interface Standing {
  tokens: readonly { node: string; visit: number }[];
  visits: readonly { node: string; visit: number }[];
  /** Node of the incident, if one stands. */
  failed: string | null;
  /** The case waits for its submitter, and goes on here. */
  returnsTo: string | null;
}

/** A way through the process that is told step by step, and the node that is at fault. */
export interface Told {
  path: readonly { event: string; node: string }[];
  fault: string;
}

const kinds: readonly NodeKind[] = [
  'start',
  'stage',
  'external',
  'saga',
  'timer',
  'review',
  'exclusive',
  'fork',
  'join',
  'end',
];
const anywhere = '*anywhere';

interface Sight {
  t: TFunction<'translation'>;
  language: string;
  standing?: Standing | null | undefined;
  told?: Told | null | undefined;
}

/** What is drawn of the graph. */
export function drawingOf(graph: TheGraph, sight: Sight): Drawing {
  const abandons = graph.lines.some(({ from }) => from === '');
  const nodes: DrawnNode[] = graph.nodes.map((node) => drawnNode(node, sight));
  // First, as nothing leads there: the layout keeps the order of what is not decided by lines.
  if (abandons)
    nodes.unshift({ id: anywhere, kind: 'anywhere', label: sight.t('ui.graph.anywhere') });
  return { nodes, lines: graph.lines.map((line) => drawnLine(line, sight)) };
}

function kindOf(kind: string): NodeKind {
  return kinds.find((one) => one === kind) ?? 'stage';
}

/** The name of a node in the language; starts and ends have none of their own. */
export function nodeName(
  node: TheGraph['nodes'][number],
  { t, language }: Pick<Sight, 't' | 'language'>,
): string {
  const own = node.labels.find(({ name }) => name === language)?.value;
  if (own) return own;
  const status = lifeStates.find((one) => node.kind === 'end' && one === node.id);
  if (status) return statusWords(t, status, true);
  return node.kind === 'start' ? t('ui.graph.start') : node.label;
}

function drawnNode(node: TheGraph['nodes'][number], sight: Sight): DrawnNode {
  const kind = kindOf(node.kind);
  const { standing, told } = sight;
  const steps = (told?.path ?? []).flatMap((step, index) =>
    step.node === node.id ? [index + 1] : [],
  );
  return {
    id: node.id,
    kind,
    label: nodeName(node, sight),
    note: noteOf(node, sight),
    ...(standing && { state: stateOf(node.id, kind, standing) }),
    ...(steps.length > 0 && { steps }),
    ...(told?.fault === node.id && { fault: true }),
  };
}

function stateOf(id: string, kind: NodeKind, standing: Standing): NodeState {
  if (standing.failed === id) return 'failed';
  if (standing.returnsTo === id) return 'asks';
  if (standing.tokens.some((token) => token.node === id)) {
    if (kind === 'review') return 'asks';
    return kind === 'join' || kind === 'timer' ? 'waits' : 'active';
  }
  return standing.visits.some((visit) => visit.node === id && visit.visit > 0) ? 'done' : 'idle';
}

function noteOf(node: TheGraph['nodes'][number], { t, standing }: Sight): string | undefined {
  const parts: string[] = [];
  if (standing?.returnsTo === node.id) parts.push(t('ui.graph.submitterAsked'));
  else if (node.kind === 'review') {
    parts.push(
      node.seats > 1
        ? t('ui.graph.seats', { queue: node.queue, quorum: node.quorum, seats: node.seats })
        : t('ui.graph.queue', { queue: node.queue }),
    );
  }
  const visits = standing?.visits.find((visit) => visit.node === node.id)?.visit ?? 0;
  if (visits > 1) parts.push(t('ui.graph.visits', { count: visits }));
  return parts.length > 0 ? parts.join(' · ') : undefined;
}

function drawnLine(line: TheGraph['lines'][number], { t, told }: Sight): DrawnLine {
  const kind = line.kind.toLowerCase() as DrawnLine['kind'];
  const words = lineWords(t, kind, line.label);
  const onPath = (told?.path ?? []).map(({ node }) => node);
  const fault = told?.fault;
  const marked = onPath.some(
    (node, index) => node === line.from && (onPath[index + 1] ?? fault) === line.to,
  );
  return {
    id: line.id,
    from: line.from === '' ? anywhere : line.from,
    to: line.to,
    kind,
    ...(words !== '' && { label: shortened(words), title: words }),
    ...(marked && { marked }),
  };
}

function lineWords(t: Sight['t'], kind: DrawnLine['kind'], label: string): string {
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

/** Where the case stands, in a sentence for those who do not see the drawing. */
export function standingWords(drawing: Drawing, t: Sight['t']): string {
  const spoken = drawing.nodes
    .filter((node) => node.state && node.state !== 'idle' && node.state !== 'done')
    .map((node) => `${node.label}: ${t(`ui.graph.state.${node.state as 'active'}`)}`);
  return spoken.join('; ');
}
