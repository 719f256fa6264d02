// Reads permissions from the policy's rules.
import type { AuthorityQuery } from '../../graphql/generated/graphql';

export type Rule = NonNullable<AuthorityQuery['policy']>['rules'][number];
export type Limit = AuthorityQuery['limits'][number];

/** An action that a role may or may not perform, its objects, and whether it has a condition. */
export interface Permission {
  action: string;
  objects: string[];
  conditional: boolean;
  denied: boolean;
}

/** The permissions of a role sorted by action, allowed ones first. */
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

/** Returns the policy text with the number of the next version. */
export function withNextVersion(document: string, next: number): string {
  return document.replace(/"version":\s*\d+/, `"version": ${next}`);
}
