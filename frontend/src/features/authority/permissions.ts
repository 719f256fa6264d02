// What the policy says, read by role.
import type { AuthorityQuery } from '../../graphql/generated/graphql';

export type Rule = NonNullable<AuthorityQuery['policy']>['rules'][number];
export type Limit = AuthorityQuery['limits'][number];

/** What a role may do: the action, on what, and whether only under a condition. */
export interface Permission {
  action: string;
  objects: string[];
  conditional: boolean;
  denied: boolean;
}

/** The powers of a role, by action; what is denied stands apart from what is allowed. */
export function permissionsOf(rules: readonly Rule[], role: string): Permission[] {
  const byAction = new Map<string, Permission>();
  for (const rule of rules.filter((one) => one.role === role)) {
    const denied = rule.effect === 'deny';
    const key = `${rule.action} ${denied}`;
    const permission = byAction.get(key) ?? {
      action: rule.action,
      objects: [],
      conditional: false,
      denied,
    };
    if (!permission.objects.includes(rule.object)) permission.objects.push(rule.object);
    permission.conditional ||= rule.condition !== '';
    byAction.set(key, permission);
  }
  return [...byAction.values()].sort(
    (a, b) => Number(a.denied) - Number(b.denied) || a.action.localeCompare(b.action),
  );
}

/** The text of a policy as the beginning of its next version. */
export function withNextVersion(document: string, next: number): string {
  return document.replace(/"version":\s*\d+/, `"version": ${next}`);
}
