// Processes, their versions and proposals, as the pages show them.
import type {
  DefinitionLineFragment,
  OneProcessQuery,
  ProblemLineFragment,
  ProposalLineFragment,
  ReportLinesFragment,
} from '../../graphql/generated/graphql';

export type ProcessLine = DefinitionLineFragment;
export type Definition = OneProcessQuery['processDefinitions']['nodes'][number];
export type Node = Definition['nodes'][number];
export type Proposal = ProposalLineFragment;
export type Report = ReportLinesFragment;
export type Problem = ProblemLineFragment;

/** The name in the language, or the fallback. */
export function localizedName(
  names: readonly { name: string; value: string }[],
  language: string,
  fallback: string,
): string {
  return names.find(({ name }) => name === language)?.value || fallback;
}

/**
 * The title that the text of a proposed definition states, in the language or else in English; null if it cannot be
 * found. The text may have errors, so it is not parsed.
 */
export function proposedTitle(document: string | undefined, language: string): string | null {
  const found = /^title:(.*(?:\n[ \t]+.*)*)/m.exec(document ?? '')?.[1] ?? '';
  const of = (name: string) =>
    new RegExp(`[{,\\s]${name}:\\s*("[^"]*"|'[^']*'|[^,}\\n]+)`).exec(found)?.[1];
  const plain = /^\s*([^{\s].*)$/.exec(found.split('\n')[0] ?? '')?.[1];
  const title = (of(language) ?? of('en') ?? plain ?? '').trim().replace(/^(["'])(.*)\1$/, '$2');
  return title.slice(0, 200) || null;
}

export function otherLanguage(language: string): 'en' | 'zh' {
  return language === 'zh' ? 'en' : 'zh';
}

/** The calls of processes of which a newer version exists. */
export const outdatedCalls = (definition: Pick<Definition, 'calls'>) =>
  definition.calls.filter(({ version, newestVersion }) => (newestVersion ?? 0) > version);

/** The nodes in breadth-first order from the start; unreachable nodes come last. */
export function nodesInFlowOrder(nodes: readonly Node[]): Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const order: Node[] = [];
  const visited = new Set<string>();
  const pending = nodes.filter((node) => node.kind === 'start').map((node) => node.id);
  for (let id = pending.shift(); id !== undefined; id = pending.shift()) {
    const node = byId.get(id);
    if (!node || visited.has(id)) continue;
    visited.add(id);
    order.push(node);
    pending.push(...node.next);
  }
  return [...order, ...nodes.filter((node) => !visited.has(node.id))];
}

/** The gravity of a problem. */
export type Gravity = 'problem' | 'understaffed' | 'warning';

/** All problems of a report, the gravest first. */
export function findingsOf(report: Report): { gravity: Gravity; problem: Problem }[] {
  const withGravity = (gravity: Gravity, problems: readonly Problem[]) =>
    problems.map((problem) => ({ gravity, problem }));
  return [
    ...withGravity('problem', report.problems),
    ...withGravity('understaffed', report.understaffed),
    ...withGravity('warning', report.warnings),
  ];
}

/** The problem of the report that says the same about the same node, e.g. after another check. */
export function sameProblem(report: Report, { rule, node, message }: Problem): Problem | undefined {
  return findingsOf(report)
    .map(({ problem }) => problem)
    .find((one) => one.rule === rule && one.node === node && one.message === message);
}

/** The line of the problem, or of its node; 0 if unknown. */
export function lineOf(problem: Problem, nodes: readonly { id: string; line: number }[]): number {
  return problem.line || (nodes.find(({ id }) => id === problem.node)?.line ?? 0);
}

/** Why the user cannot publish the proposal; null if they can try. */
export function publishObstacle(
  proposal: Proposal,
  personId: string | null,
): 'own' | 'unsound' | null {
  if (proposal.proposedBy?.id !== undefined && proposal.proposedBy.id === personId) return 'own';
  return proposal.report.sound ? null : 'unsound';
}
