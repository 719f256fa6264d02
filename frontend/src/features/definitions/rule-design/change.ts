// Adds, moves, removes and changes rules of a set in its text. Lines of other rules stay as they are.
import { isMap, isNode, isSeq, parseDocument } from 'yaml';
import {
  breakOf,
  column,
  dashOf,
  endOf,
  insertIn,
  lineStart,
  type Path,
  setIn,
} from '../design/edit-text';
import type { RuleEntry, RuleTexts } from './rules';

/** The order in which attributes of a rule are written. */
const ruleOrder = [
  ...['id', 'title', 'phase', 'severity', 'score', 'override', 'override_queue', 'asks', 'sums'],
  ...['when', 'fields', 'values', 'words', 'message'],
] as const;

/** Sets an attribute of a rule; undefined removes it. */
export function setRule(text: string, rule: RuleEntry, path: Path, value: unknown): string {
  return setIn(text, ['rules', rule.index, ...path], value, ruleOrder);
}

/** Sets what an approval needs. The queue is named if and only if that queue has to approve. */
export function setOverride(text: string, rule: RuleEntry, kind: string, queue: string): string {
  const named = setRule(text, rule, ['override'], kind === '' ? undefined : kind);
  return setRule(named, rule, ['override_queue'], kind === 'queue' ? queue : undefined);
}

/** Adds a rule after the one with the index, or before all for -1. */
export function addRule(text: string, set: RuleTexts, after: number): { text: string; id: string } {
  const ids = new Set(set.rules.map(({ id }) => id));
  let id = 'new_rule';
  for (let number = 2; ids.has(id); number++) id = `new_rule_${number}`;
  const rule = {
    id,
    title: { en: 'New rule', zh: '新规则' },
    phase: 'risk',
    severity: 'warning',
    score: 10,
    asks: { en: 'Is the amount large?', zh: '金额是否较大？' },
    when: '(amount_known && base_minor >= 10000000)',
    message: { en: 'The amount is large.', zh: '金额较大。' },
  };
  return { text: insertIn(text, ['rules'], after + 1, rule), id };
}

/** Removes a rule with the comments above it. The last rule stays: a set needs one. */
export function removeRule(text: string, set: RuleTexts, rule: RuleEntry): string {
  if (set.rules.length === 1) return text;
  const parts = partsOf(text);
  if (!parts) return setIn(text, ['rules', rule.index], undefined);
  return (
    parts.before + joined(parts.rules.filter((_, index) => index !== rule.index)) + parts.after
  );
}

/** Moves a rule, with the comments above it, to another position. */
export function moveRule(text: string, rule: RuleEntry, to: number): string {
  const parts = partsOf(text);
  const moved = parts?.rules[rule.index];
  if (!parts || moved === undefined || to < 0 || to >= parts.rules.length) return text;
  const others = parts.rules.filter((_, index) => index !== rule.index);
  return parts.before + joined([...others.slice(0, to), moved, ...others.slice(to)]) + parts.after;
}

interface Parts {
  before: string;
  /** The lines of each rule, with the comments above it. */
  rules: string[];
  after: string;
}

/** The text by rules; null if the rules are not written as a block. */
export function partsOf(text: string): Parts | null {
  const { contents } = parseDocument(text);
  const list = isMap(contents) ? contents.get('rules') : null;
  if (!isSeq(list) || list.flow) return null;
  const starts: number[] = [];
  let end = 0;
  for (const item of list.items) {
    if (!isNode(item)) return null;
    const dash = dashOf(text, item);
    starts.push(withComments(text, lineStart(text, dash), end, column(text, dash)));
    end = lineAfter(text, endOf(text, item));
  }
  const first = starts[0];
  if (first === undefined) return null;
  return {
    before: text.slice(0, first),
    rules: starts.map((start, index) => text.slice(start, starts[index + 1] ?? end)),
    after: text.slice(end),
  };
}

/** The start of the comment lines directly above a rule. Deeper ones belong to the rule before. */
function withComments(text: string, start: number, least: number, margin: number): number {
  let from = start;
  while (from > least) {
    const line = lineStart(text, from - 1);
    const indent = /^ *(?=#)/.exec(text.slice(line, from))?.[0].length;
    if (line < least || indent === undefined || indent > margin) break;
    from = line;
  }
  return from;
}

function lineAfter(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** The lines one after another; a text may end without a line break. */
function joined(parts: readonly string[]): string {
  const lacking = parts.some((part) => !part.endsWith('\n'));
  if (!lacking) return parts.join('');
  const lineBreak = breakOf(parts.join(''));
  const whole = parts.map((part) => (part.endsWith('\n') ? part : part + lineBreak)).join('');
  return whole.slice(0, -lineBreak.length);
}
