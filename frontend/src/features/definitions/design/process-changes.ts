// What a text changes in a process, node by node, in the words of the forms.
import type { TFunction } from 'i18next';
import { processVocabulary } from '../../../lib/guard';
import { amountWords, guardWords } from '../../../lib/guard-words';
import { factLabel } from '../../../lib/labels';
import { baseCurrency } from '../../../lib/money';
import { type ChangedPart, differencesOf } from '../changed-parts';
import { declaredAttributes } from './attributes';
import { connectionName } from './Connections';
import {
  type Connection,
  connectionsOf,
  type Design,
  type DesignNode,
  isRecord,
  listOf,
  readDesign,
  textOf,
  titleOf,
} from './design';
import { durationOf } from './duration';
import { type FieldSpec, fieldKey, fieldsOf } from './fields';
import { differing } from './meaning';

export interface ProcessChange {
  headline: string;
  details: readonly string[];
}

interface Words {
  t: TFunction<'translation'>;
  language: string;
}

/** The changes in words, those of the process first; null if a text cannot be read. */
export function processChanges(
  words: Words,
  before: string,
  after: string,
): ProcessChange[] | null {
  const [old, present] = [readDesign(before), readDesign(after)];
  if (!('design' in old) || !('design' in present)) return null;
  const [was, is] = [byId(old.design), byId(present.design)];
  if (!was || !is) return null;
  const { t } = words;
  const header = headerDetails(words, old.design, present.design);
  const changes: ProcessChange[] =
    header.length > 0 ? [{ headline: t('design.words.process'), details: header }] : [];
  for (const node of present.design.nodes) {
    const earlier = was.get(node.id);
    const details = earlier
      ? nodeDetails(words, [old.design, earlier], [present.design, node])
      : nodeDetails(words, null, [present.design, node]);
    if (!earlier) changes.push({ headline: t('design.words.added', named(words, node)), details });
    else if (details.length > 0)
      changes.push({ headline: t('design.words.changed', named(words, node)), details });
  }
  for (const node of old.design.nodes)
    if (!is.has(node.id))
      changes.push({ headline: t('design.words.removed', named(words, node)), details: [] });
  return changes;
}

function byId({ nodes }: Design): Map<string, DesignNode> | null {
  const found = new Map(nodes.map((node) => [node.id, node]));
  return found.size === nodes.length ? found : null;
}

const nameOf = ({ language }: Words, { id, attributes }: DesignNode) =>
  titleOf(attributes.title, language) || titleOf(attributes.title, 'en') || id;

const kindName = ({ t }: Words, kind: string) =>
  t(`definitions.kind.${kind}` as 'definitions.kind.review', { defaultValue: kind });

const named = (words: Words, node: DesignNode) => ({
  kind: kindName(words, node.kind),
  name: nameOf(words, node),
  id: node.id,
});

/** The parts of a node that say where it leads. */
const leading = ['next', 'on', 'branches', 'default', 'to', 'timeout', 'errors'];

/** What differs in a node; `was` is null for a new one. */
function nodeDetails(
  words: Words,
  was: readonly [Design, DesignNode] | null,
  is: readonly [Design, DesignNode],
): string[] {
  const [, node] = is;
  const earlier = was?.[1].attributes ?? {
    id: node.id,
    kind: node.kind,
    title: node.attributes.title,
  };
  const differs = was ? differing(was[1], node) : () => true;
  const parts = leaves(
    differencesOf(earlier, node.attributes).filter(({ path }) => differs(path.split('.')[0] ?? '')),
  );
  const callable = is[0].header.callable === true;
  const specs = [...fieldsOf(node, callable), ...(was ? fieldsOf(was[1], callable) : [])];
  const details: string[] = [];
  const rest = parts.filter(({ path }) => !leading.includes(path.split('.')[0] ?? ''));
  for (const part of rest) details.push(partLine(words, specs, part));
  if (rest.length < parts.length) {
    const lines = connectionLines(words, was, is);
    // Parts of connections without words, such as the nodes that a verdict withdraws.
    details.push(
      ...(lines.length > 0
        ? lines
        : parts.filter((one) => !rest.includes(one)).map(rawLine(words))),
    );
  }
  return details;
}

/** Parts that are absent on one side and a mapping on the other, by the attributes of the mapping. */
const leaves = (parts: readonly ChangedPart[]): ChangedPart[] =>
  parts.flatMap((part) => {
    const { path, before, after } = part;
    if (leading.includes(path)) return [part];
    if (before === undefined && isRecord(after)) return differencesOf({}, after, path);
    return after === undefined && isRecord(before) ? differencesOf(before, {}, path) : [part];
  });

const line = ({ t }: Words, part: string, before: string, after: string) =>
  t('design.words.part', { part, before, after });

/** A part as it is written, for what has no words. */
const rawLine = (words: Words) => (part: ChangedPart) => {
  const text = (value: unknown) =>
    value === undefined
      ? words.t('ruleDesign.absent')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  return line(words, part.path, text(part.before), text(part.after));
};

function partLine(words: Words, specs: readonly FieldSpec[], part: ChangedPart): string {
  const { t } = words;
  const title = /^title\.(en|zh)$/.exec(part.path)?.[1];
  if (title)
    return line(
      words,
      t(`design.title.${title as 'en' | 'zh'}`),
      textOf(part.before) || t('ruleDesign.absent'),
      textOf(part.after) || t('ruleDesign.absent'),
    );
  if (part.path === 'remind') {
    const list = (value: unknown) =>
      listOf(value)
        .map((one) => durationWords(words, textOf(one)))
        .join(', ') || t('ruleDesign.absent');
    return line(words, t('design.field.remind_0'), list(part.before), list(part.after));
  }
  const spec = specs.find(({ path }) => path.join('.') === part.path);
  if (!spec) return rawLine(words)(part);
  const label = t(`design.field.${fieldKey(spec)}` as 'design.field.queue', {
    currency: baseCurrency,
  });
  return line(
    words,
    label,
    fieldWords(words, spec, part.before),
    fieldWords(words, spec, part.after),
  );
}

/** The value of a field as its form shows it; without a value, what holds then. */
function fieldWords(words: Words, spec: FieldSpec, value: unknown): string {
  const { t, language } = words;
  const shown = value ?? spec.usual;
  if (spec.type === 'queue' && value === '') return t('design.escalateNone');
  if (shown === undefined || shown === '')
    return spec.path[0] === 'escalate_to' ? t('design.escalateUsual') : t('ruleDesign.absent');
  if (spec.type === 'duration') return durationWords(words, textOf(shown));
  if (spec.type === 'money' && typeof shown === 'number') return amountWords(language, shown);
  if (spec.type === 'switch')
    return t(String(shown) === 'true' ? 'design.words.yes' : 'design.words.no');
  if (spec.type === 'choice')
    return t(`design.choice.${textOf(shown)}` as 'design.choice.none', {
      defaultValue: textOf(shown),
    });
  return textOf(shown) || JSON.stringify(shown);
}

const unitNames = { s: 'second', m: 'minute', h: 'hour', d: 'day' } as const;

function durationWords({ language }: Words, text: string): string {
  const duration = durationOf(text);
  if (!duration) return text;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: unitNames[duration.unit],
    unitDisplay: 'long',
  }).format(duration.count);
}

/** Where a node leads, by the position of each connection: its condition and its target. */
function connectionLines(
  words: Words,
  was: readonly [Design, DesignNode] | null,
  is: readonly [Design, DesignNode],
): string[] {
  const { t } = words;
  const [old, present] = [
    was ? waysOf(words, ...was) : new Map<string, Way>(),
    waysOf(words, ...is),
  ];
  const lines: string[] = [];
  for (const [key, { name, target, cancels, text }] of present) {
    const earlier = old.get(key);
    if (!earlier) lines.push(t('design.words.way', { name, target }));
    else if (earlier.name !== name || earlier.target !== target)
      lines.push(
        t('design.words.wayChange', {
          before: t('design.words.way', { name: earlier.name, target: earlier.target }),
          after: t('design.words.way', { name, target }),
        }),
      );
    else if (earlier.text !== text) lines.push(line(words, name, earlier.text, text));
    if (earlier && earlier.cancels !== cancels)
      lines.push(line(words, t('design.cancelAllOf', { name }), earlier.cancels, cancels));
  }
  for (const [key, { name, target }] of old)
    if (!present.has(key))
      lines.push(t('design.words.wayRemoved', { way: t('design.words.way', { name, target }) }));
  return lines;
}

interface Way {
  /** What has to happen, with the condition in words. */
  name: string;
  target: string;
  /** Whether other open work is withdrawn, in words or as it is written. */
  cancels: string;
  /** The condition as it is written. */
  text: string;
}

function waysOf(words: Words, design: Design, node: DesignNode): Map<string, Way> {
  const { t, language } = words;
  const names = new Map(design.nodes.map((one) => [one.id, nameOf(words, one)]));
  const attributes = declaredAttributes(design);
  const condition = ({ kind, label }: Connection) => {
    if (kind === 'branch') return guardWords(t, language, label, processVocabulary, attributes);
    return kind === 'timeout' ? durationWords(words, label) : '';
  };
  return new Map(
    connectionsOf(node).map((one) => {
      const name = connectionName(t, node, one);
      const when = condition(one);
      const cancel = cancelsOf(node, one);
      return [
        one.path.join('/').replace(/\/to$/, ''),
        {
          name: when === '' ? name : t('design.words.when', { name, when }),
          target: one.to === '' ? t('design.reEntry') : (names.get(one.to) ?? one.to),
          cancels: cancel === 'all' ? t('design.words.yes') : cancel || t('design.words.no'),
          text: one.label,
        },
      ];
    }),
  );
}

/** What a connection withdraws, as the text states it; '' for nothing. */
function cancelsOf({ attributes }: DesignNode, { path }: Connection): string {
  const [list, key] = path;
  const part = attributes[String(list)];
  const at =
    list === 'timeout' ? part : (part as Record<string, unknown> | undefined)?.[String(key)];
  if (!isRecord(at)) return '';
  const { cancel } = list === 'errors' && isRecord(at.to) ? at.to : at;
  return typeof cancel === 'string' ? cancel : listOf(cancel).map(textOf).join(', ');
}

/** What differs in the process itself. Its version is not a change. */
function headerDetails(words: Words, old: Design, present: Design): string[] {
  return differencesOf(old.header, present.header).flatMap((part) => {
    if (part.path === 'version') return [];
    const [name] = part.path.split('.');
    if (name === 'title') return [partLine(words, [], part)];
    const label = headerLabels(words)[name ?? ''];
    if (!label) return [rawLine(words)(part)];
    const text = (value: unknown, design: Design) =>
      headerWords(words, design, String(name), value);
    const lists = [part.before, part.after].some((value) => listOf(value).some(isRecord));
    if (lists) return listLines(words, label, part);
    return [line(words, label, text(part.before, old), text(part.after, present))];
  });
}

const headerLabels = ({ t }: Words): Record<string, string> => ({
  document_types: t('design.documentTypes'),
  needs: t('design.needs'),
  order: t('design.order'),
  remind_submitter: t('design.remindSubmitter'),
  callable: t('design.callable'),
  attributes: t('design.attributes.title'),
  documents: t('design.documents.title'),
  called: t('design.called'),
  re_enter: t('design.entry.re_enter'),
  on_replace: t('design.entry.on_replace'),
  on_enter: t('design.entry.on_enter'),
  on_abandon: t('design.entry.on_abandon'),
});

function headerWords(words: Words, design: Design, name: string, value: unknown): string {
  const { t } = words;
  if (name === 'order')
    return t(`design.orders.${(textOf(value) || 'usual') as 'usual'}`, {
      defaultValue: textOf(value),
    });
  if (value === undefined) return t('ruleDesign.absent');
  if (name === 'remind_submitter') return durationWords(words, textOf(value));
  if (name === 'needs')
    return listOf(value)
      .map((one) => factLabel(t, textOf(one)))
      .join(', ');
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  const node = design.nodes.find(({ id }) => id === value);
  return node ? nameOf(words, node) : textOf(value) || JSON.stringify(value);
}

/** The entries of a list that are added, changed or removed, by their names. */
function listLines(words: Words, label: string, { before, after }: ChangedPart): string[] {
  const { t } = words;
  const keyOf = (entry: unknown) =>
    isRecord(entry) ? textOf(entry.name ?? entry.kind ?? entry.process) : textOf(entry);
  const [old, present] = [before, after].map(
    (list) => new Map(listOf(list).map((entry) => [keyOf(entry), entry])),
  ) as [Map<string, unknown>, Map<string, unknown>];
  const added = [...present.keys()].filter((key) => !old.has(key));
  const removed = [...old.keys()].filter((key) => !present.has(key));
  const lines = [...present].flatMap(([key, entry]) => {
    const earlier = old.get(key);
    if (earlier === undefined) return [];
    return differencesOf(earlier, entry).flatMap((part) =>
      ['sha256', 'text'].includes(part.path)
        ? []
        : [rawLine(words)({ ...part, path: `${label}, ${key}, ${part.path}` })],
    );
  });
  if (added.length > 0) lines.push(t('design.words.listAdded', { label, names: added.join(', ') }));
  if (removed.length > 0)
    lines.push(t('design.words.listRemoved', { label, names: removed.join(', ') }));
  return lines.length > 0 ? lines : [t('design.words.listOrder', { label })];
}
