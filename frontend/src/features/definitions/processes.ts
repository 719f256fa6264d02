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

/** The name in the language, else the given one. */
export function nameIn(
  names: readonly { name: string; value: string }[],
  language: string,
  otherwise: string,
): string {
  return names.find(({ name }) => name === language)?.value || otherwise;
}

export function otherLanguage(language: string): 'en' | 'zh' {
  return language === 'zh' ? 'en' : 'zh';
}

/** Steps in the order in which a case can come to them: breadth first from the start; what nothing leads to comes last. */
export function inOrder(nodes: readonly Node[]): Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const order: Node[] = [];
  const seen = new Set<string>();
  const waiting = nodes.filter((node) => node.kind === 'start').map((node) => node.id);
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const node = byId.get(id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    order.push(node);
    waiting.push(...node.next);
  }
  return [...order, ...nodes.filter((node) => !seen.has(node.id))];
}

/** How grave a problem is. */
export type Weight = 'problem' | 'understaffed' | 'warning';

/** Everything that was found, the gravest first. */
export function found(report: Report): { weight: Weight; problem: Problem }[] {
  const of = (weight: Weight, problems: readonly Problem[]) =>
    problems.map((problem) => ({ weight, problem }));
  return [
    ...of('problem', report.problems),
    ...of('understaffed', report.understaffed),
    ...of('warning', report.warnings),
  ];
}

/** The line that a problem is about: its own, else that of its node; 0 where there is none. */
export function lineOf(problem: Problem, nodes: readonly { id: string; line: number }[]): number {
  return problem.line || (nodes.find(({ id }) => id === problem.node)?.line ?? 0);
}

/** Why this person cannot publish the proposal; null when they can try. */
export function publishObstacle(
  proposal: Proposal,
  personId: string | null,
): 'own' | 'unsound' | null {
  if (proposal.proposedBy?.id !== undefined && proposal.proposedBy.id === personId) return 'own';
  return proposal.report.sound ? null : 'unsound';
}
