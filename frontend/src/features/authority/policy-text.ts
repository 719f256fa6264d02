// Reads the rules of a policy text and changes single rules in it. Every other line stays as it is.
// The text is JSON, which is also YAML, so the library yaml says where a rule is. (Its writer, which
// the process designer uses, writes words without quotes; JSON needs them.)
import { isMap, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { pairOf, rangeOf } from '../../lib/yaml-nodes';

export interface PolicyRule {
  name: string;
  role: string;
  action: string;
  object: string;
  condition: string;
  effect: string;
}

/** The rules of one role about one action and object. */
export interface Cell {
  role: string;
  action: string;
  object: string;
}

const parts = ['name', 'role', 'action', 'object', 'condition', 'effect'] as const;

/** The rules of the text; null if it is not the text of a policy. */
export function rulesOf(text: string): PolicyRule[] | null {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return null;
  }
  const rules = fieldOf(document, 'rules');
  if (!Array.isArray(rules) || rules.some((one) => typeof one !== 'object' || one === null))
    return null;
  return rules.map((rule: unknown) => {
    const [name, role, action, object, condition, effect] = parts.map((part) => {
      const value = fieldOf(rule, part);
      return typeof value === 'string' ? value : '';
    });
    return {
      name: name ?? '',
      role: role ?? '',
      action: action ?? '',
      object: object ?? '',
      condition: condition ?? '',
      effect: effect || 'allow',
    };
  });
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** The condition under which the cell is allowed, '' for none; null = not allowed. The rules are given
 * as a list if a form cannot express them: there are several, or one denies. */
export function choiceOf(
  rules: readonly PolicyRule[],
  cell: Cell,
): { choice: string | null } | { rules: PolicyRule[] } {
  const found = rules.filter((rule) => isOf(rule, cell));
  const [first] = found;
  if (!first) return { choice: null };
  if (found.length > 1 || first.effect !== 'allow') return { rules: found };
  return { choice: first.condition };
}

const isOf = (rule: PolicyRule, cell: Cell) =>
  rule.role === cell.role && rule.action === cell.action && rule.object === cell.object;

/** Allows the cell under a condition, '' for none, or no longer if it is null. Only the lines of this
 * rule change. A text that a form cannot change is returned as it is. */
export function withChoice(text: string, cell: Cell, choice: string | null): string {
  const rules = rulesOf(text);
  if (!rules) return text;
  const present = choiceOf(rules, cell);
  if ('rules' in present || present.choice === choice) return text;
  const nodes = ruleNodes(text);
  const index = rules.findIndex((rule) => isOf(rule, cell));
  if (index < 0) return choice === null ? text : addRule(text, nodes, rules, cell, choice);
  if (choice === null) return removeRule(text, nodes, index);
  const node = nodes[index];
  return node ? setCondition(text, node, choice) : text;
}

function sequenceOf(text: string) {
  const { contents } = parseDocument(text, { uniqueKeys: false });
  const rules = isMap(contents) ? contents.get('rules', true) : null;
  if (!isSeq(rules)) throw new Error('the text has no rules');
  return rules;
}

function ruleNodes(text: string): YAMLMap[] {
  return sequenceOf(text).items.filter((item) => isMap(item));
}

function setCondition(text: string, rule: YAMLMap, condition: string): string {
  const pair = pairOf(rule, 'condition');
  if (pair && condition !== '') {
    const [start, end] = rangeOf(pair.value);
    return text.slice(0, start) + JSON.stringify(condition) + text.slice(end);
  }
  if (pair) {
    const before = rule.items[rule.items.indexOf(pair) - 1];
    const after = rule.items[rule.items.indexOf(pair) + 1];
    if (before) return text.slice(0, rangeOf(before.value)[1]) + text.slice(rangeOf(pair.value)[1]);
    if (after) return text.slice(0, rangeOf(pair.key)[0]) + text.slice(rangeOf(after.key)[0]);
    return text;
  }
  const before = pairOf(rule, 'object') ?? rule.items.at(-1);
  if (!before) return text;
  const at = rangeOf(before.value)[1];
  const written = `"condition": ${JSON.stringify(condition)}`;
  return `${text.slice(0, at)},${gapBefore(text, rangeOf(before.key)[0])}${written}${text.slice(at)}`;
}

/** The white space before a position, with which another part is written in the same way. */
const gapBefore = (text: string, at: number): string => /\s*$/.exec(text.slice(0, at))?.[0] || ' ';

function removeRule(text: string, nodes: readonly YAMLMap[], index: number): string {
  const [start, end] = rangeOf(nodes[index]);
  const [before, after] = [nodes[index - 1], nodes[index + 1]];
  if (before) return text.slice(0, rangeOf(before)[1]) + text.slice(end);
  if (after) return text.slice(0, start) + text.slice(rangeOf(after)[0]);
  return text.slice(0, start) + text.slice(end);
}

function addRule(
  text: string,
  nodes: readonly YAMLMap[],
  rules: readonly PolicyRule[],
  { role, action, object }: Cell,
  condition: string,
): string {
  const rule = {
    name: freeName(rules, `${role} may ${action} ${object}`),
    role,
    action,
    object,
    ...(condition !== '' && { condition }),
    effect: 'allow',
  };
  const last = nodes.at(-1);
  if (!last) {
    const [start] = rangeOf(sequenceOf(text));
    return text.slice(0, start + 1) + JSON.stringify(rule) + text.slice(start + 1);
  }
  const [start, end] = rangeOf(last);
  const gap = gapBefore(text, start);
  const inner = last.items[0] ? gapBefore(text, rangeOf(last.items[0].key)[0]) : ' ';
  const written = text.slice(start, end).includes('\n')
    ? `{${Object.entries(rule)
        .map(([key, value]) => `${inner}${JSON.stringify(key)}: ${JSON.stringify(value)}`)
        .join(',')}${gapBefore(text, end - 1)}}`
    : JSON.stringify(rule);
  return `${text.slice(0, end)},${gap}${written}${text.slice(end)}`;
}

function freeName(rules: readonly PolicyRule[], wanted: string): string {
  const taken = new Set(rules.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted} ${number}`;
    if (!taken.has(name)) return name;
  }
}

/** The conditions of the policy, each once. */
export const conditionsOf = (rules: readonly PolicyRule[]): string[] =>
  [...new Set(rules.map(({ condition }) => condition))].filter((one) => one !== '').sort();

/** A limit that the text changes, as the server writes it: "none", "unlimited" or "5000.00 USD". */
export interface LimitChange {
  role: string;
  documentType: string;
  before: string;
  after: string;
}

/** The limits that the text changes. */
export function limitsOf(text: string): LimitChange[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return [];
  }
  const limits = fieldOf(document, 'limits');
  if (!Array.isArray(limits)) return [];
  return limits.map((one: unknown) => {
    const [role, documentType, before, after] = ['role', 'documentType', 'before', 'after'].map(
      (part) => {
        const value = fieldOf(one, part);
        return typeof value === 'string' ? value : '';
      },
    );
    return {
      role: role ?? '',
      documentType: documentType ?? '',
      before: before ?? '',
      after: after ?? '',
    };
  });
}

/** Changes a limit, or no longer if it would stay as it is. Only the list of limits is written. */
export function withLimit(text: string, change: LimitChange): string {
  const { contents } = parseDocument(text, { uniqueKeys: false });
  if (!isMap(contents) || !rulesOf(text)) return text;
  const limits = limitsOf(text).filter(
    (one) => one.role !== change.role || one.documentType !== change.documentType,
  );
  if (change.before !== change.after) limits.push(change);
  const written = limits.map(
    ({ documentType, ...one }) =>
      `    ${JSON.stringify({ role: one.role, ...(documentType && { documentType }), before: one.before, after: one.after })}`,
  );
  const list = `[\n${written.join(',\n')}\n  ]`;
  const pair = pairOf(contents, 'limits');
  if (pair && limits.length > 0) {
    const [start, end] = rangeOf(pair.value);
    return text.slice(0, start) + list + text.slice(end);
  }
  const items: readonly Pair[] = contents.items;
  const last = items.at(-1);
  if (pair) {
    const before = items[items.indexOf(pair) - 1];
    const after = items[items.indexOf(pair) + 1];
    if (before) return text.slice(0, rangeOf(before.value)[1]) + text.slice(rangeOf(pair.value)[1]);
    return after ? text.slice(0, rangeOf(pair.key)[0]) + text.slice(rangeOf(after.key)[0]) : text;
  }
  if (!last || limits.length === 0) return text;
  const at = rangeOf(last.value)[1];
  return `${text.slice(0, at)},\n  "limits": ${list}${text.slice(at)}`;
}

/** Returns the policy text with the number of the next version. */
export function withNextVersion(document: string, next: number): string {
  return document.replace(/"version":\s*\d+/, `"version": ${next}`);
}
