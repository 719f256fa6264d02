// The order of the findings on the desk, and which of them are listed at first.
import type { Finding } from './review-facts';

const weight = { BLOCKING: 2, WARNING: 1, INFO: 0 } as const;

/** The rules whose findings lead a case to a confidential review, as domain/confidential.go has them. */
const leading = new Set(['high_risk_country', 'elevated_risk_country']);

/** Why the case is in a confidential review, then by severity, otherwise in the order of the rules. */
export function inOrder<F extends Pick<Finding, 'rule' | 'severity'>>(findings: readonly F[]): F[] {
  const rank = ({ rule, severity }: F) => (leading.has(rule) ? 3 : weight[severity]);
  return [...findings].sort((a, b) => rank(b) - rank(a));
}

/** With more findings than this, the lightest of them are listed on demand. */
const mostListed = 4;

/** Every finding that blocks, needs an explanation or led the case here has its title on the page. */
export const mustBeShown = (
  { rule, severity }: Pick<Finding, 'rule' | 'severity'>,
  explained: ReadonlySet<string>,
) => severity === 'BLOCKING' || explained.has(rule) || leading.has(rule);

/** How many findings are listed if there are more: with the line about the others, as many lines. */
const listedAtFirst = mostListed - 1;

/**
 * The findings that are listed, and the others. Every finding that blocks or needs an explanation is
 * listed.
 */
export function splitFindings<F extends Pick<Finding, 'rule' | 'severity'>>(
  ordered: readonly F[],
  explained: ReadonlySet<string>,
): { listed: F[]; others: F[] } {
  if (ordered.length <= mostListed) return { listed: [...ordered], others: [] };
  const mustBeListed = (one: F) => mustBeShown(one, explained);
  const free = listedAtFirst - ordered.filter(mustBeListed).length;
  const filling = new Set(ordered.filter((one) => !mustBeListed(one)).slice(0, Math.max(free, 0)));
  const isListed = (one: F) => mustBeListed(one) || filling.has(one);
  return {
    listed: ordered.filter(isListed),
    others: ordered.filter((one) => !isListed(one)),
  };
}
