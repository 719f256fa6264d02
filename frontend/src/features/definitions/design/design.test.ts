import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { guardOf, guardText, processVocabulary } from '../../../lib/guard';
import { choicesOf, comparableAttributes, declaredIn, newAttribute } from './attributes';
import {
  addableKinds,
  addBranch,
  addError,
  addNode,
  connect,
  fixedReason,
  moveNode,
  removeNode,
  setAttribute,
  setCodes,
  setHeader,
} from './change';
import { connectionId, connectionsOf, type Design, graphOf, listOf, readDesign } from './design';
import { fieldKey, fieldsOf } from './fields';
import { lead, outletsOf } from './outlets';
import { immovableReason, placesFor } from './placement';

const workflow = join(import.meta.dirname, '../../../../../workflow');
const texts = ['definitions', 'testdata/definitions'].flatMap((folder) =>
  readdirSync(join(workflow, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(workflow, folder, name), 'utf8')),
);

function designOf(text: string): Design {
  const read = readDesign(text);
  if (!('design' in read)) throw new Error(`${JSON.stringify(read.problem)}\n${text}`);
  return read.design;
}

/** A generator of random numbers below a bound, the same for the same seed. */
function randomNumbers(seed: number) {
  let state = seed;
  return (bound: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** The text of each node with the comments before it, by id; '' is what comes before the nodes. */
function partsOf(text: string): Map<string, string> {
  const { nodes } = designOf(text);
  const lines = text.split('\n');
  const parts = new Map<string, string>();
  let from = 0;
  let id = '';
  for (const node of nodes) {
    parts.set(id, lines.slice(from, node.line - 1).join('\n'));
    from = node.line - 1;
    id = node.id;
  }
  parts.set(id, lines.slice(from).join('\n').trimEnd());
  return parts;
}

/** The comments of a text, without their indentation. */
const commentsOf = (text: string) =>
  text.split('\n').filter((line) => line.trimStart().startsWith('#'));

describe('an edit on the drawing', () => {
  it('changes only the nodes that it names, over 1,000 random edits', () => {
    const random = randomNumbers(7);
    const one = <T>(all: readonly T[]): T => all[random(all.length)] as T;
    const touched = {
      ...{ set: 0, header: 0, connect: 0, branch: 0, add: 0, remove: 0 },
      ...{ draw: 0, retarget: 0, drag: 0, failure: 0, call: 0 },
    };
    let text = texts[0] ?? '';
    for (let edit = 0; edit < 1_500; edit++) {
      if (edit % 25 === 0) text = texts[(edit / 25) % texts.length] ?? '';
      const design = designOf(text);
      const before = partsOf(text);
      const kind = one(Object.keys(touched) as (keyof typeof touched)[]);
      const gateways = design.nodes.filter((node) => ['exclusive', 'fork'].includes(node.kind));
      const node = one(kind === 'branch' && gateways.length > 0 ? gateways : design.nodes);
      const connections = connectionsOf(node);
      /** The ids of the nodes that may change; '' is the header. */
      let may = [node.id];
      let after = text;
      if (kind === 'set') {
        const [path, value] = one<[string[], unknown]>([
          [['title', 'en'], `A: "title", with # and {braces} ${edit}`],
          [['title', 'zh'], '审核：再看一次'],
          [['claim_within'], `${1 + random(9)}h`],
          [['queue'], one(['L1', 'L2', 'yes', '0123', 'null'])],
          [['bulk', 'max_amount'], random(1_000_000)],
          [['skills'], ['tax, import', 'b: c']],
          [['claim_within'], undefined],
          [['title'], undefined],
          [['bulk'], undefined],
        ]);
        after = setAttribute(text, node, path, value);
        const found = path.reduce<unknown>(
          (at, key) => (at as Record<string, unknown> | undefined)?.[key],
          designOf(after).nodes[node.index]?.attributes,
        );
        expect(found).toEqual(value);
      } else if (kind === 'header') {
        may = [''];
        after = setHeader(text, ['needs'], one([['amount', 'currency'], ['amount'], undefined]));
      } else if (kind === 'connect' && connections.length > 0) {
        const connection = one(connections);
        const target = one(design.nodes).id;
        after = connect(text, node, connection, target);
        const now = connectionsOf(designOf(after).nodes[node.index] ?? node);
        expect(now.map(({ to }) => to)).toEqual(
          connections.map((was) => (was === connection ? target : was.to)),
        );
      } else if (kind === 'branch' && gateways.includes(node)) {
        const target = one(design.nodes).id;
        after = addBranch(text, node, target, 'country == "IR" || risk >= 30');
        const added = connectionsOf(designOf(after).nodes[node.index] ?? node);
        expect(added).toHaveLength(connections.length + 1);
        expect(added.some(({ to }) => to === target)).toBe(true);
      } else if (kind === 'add' && connections.length > 0) {
        const called = { key: 'called', title: '', titles: [], ends: ['passed', 'failed'] };
        const result = addNode(text, design, node, one(connections), one(addableKinds), called);
        after = result.text;
        expect(designOf(after).nodes.map(({ id }) => id)).toContain(result.id);
        may.push(...[...partsOf(after).keys()].filter((id) => !before.has(id)));
      } else if (kind === 'draw' && outletsOf(node).length > 0) {
        const outlet = one(outletsOf(node));
        const target = one(design.nodes).id;
        after = lead(text, node, outlet, target);
        const now = connectionsOf(designOf(after).nodes[node.index] ?? node);
        expect(now).toHaveLength(connections.length + (outlet.isNew ? 1 : 0));
        const drawn = now.find(
          (found) => connectionId('', found) === connectionId('', outlet.connection),
        );
        expect(drawn).toMatchObject({ to: target, kind: outlet.connection.kind });
      } else if (kind === 'failure') {
        after = addError(text, node, one(design.nodes).id);
        expect(designOf(after).nodes[node.index]?.attributes.errors).toHaveLength(
          listOf(node.attributes.errors).length + 1,
        );
      } else if (kind === 'call') {
        const calls = listOf(node.attributes.steps);
        const path = ['steps', calls.length];
        after = setAttribute(text, node, path, { id: `call_${edit}`, call: 'a.b: c' });
        after = setAttribute(after, node, [...path, 'undo'], 'a.undo');
        expect(designOf(after).nodes[node.index]?.attributes.steps).toEqual([
          ...calls,
          { id: `call_${edit}`, call: 'a.b: c', undo: 'a.undo' },
        ]);
      } else if (kind === 'retarget') {
        const line = one(graphOf(design).lines);
        const source = design.nodes.find(({ id }) => id === line.from);
        const target = one(design.nodes).id;
        const held =
          source && connectionsOf(source).find((o) => connectionId(line.from, o) === line.id);
        after =
          source && held
            ? connect(text, source, held, target)
            : setHeader(text, ['on_abandon'], target);
        may = [line.from];
        expect(graphOf(designOf(after)).lines.find(({ id }) => id === line.id)).toMatchObject({
          to: target,
        });
      } else if (
        kind === 'drag' &&
        immovableReason(design, node) === null &&
        placesFor(design, node).length > 0
      ) {
        const place = one(placesFor(design, node));
        after = moveNode(text, design, node, place.from, place.connection);
        const leading = design.nodes.filter((other) =>
          connectionsOf(other).some(({ to }) => to === node.id),
        );
        may = [node.id, place.from.id, ...leading.map(({ id }) => id)];
        expect(designOf(after).nodes.map(({ id }) => id)).toEqual([...before.keys()].slice(1));
        if (after !== text) {
          const from = designOf(after).nodes[place.from.index] ?? node;
          const now = connectionsOf(from).find(
            (found) => connectionId(from.id, found) === place.id,
          );
          expect(now?.to).toBe(node.id);
        }
      } else if (kind === 'remove' && fixedReason(design, node) === null) {
        after = removeNode(text, design, node);
        const leading = design.nodes.filter((other) =>
          connectionsOf(other).some(({ to }) => to === node.id),
        );
        may.push(...leading.map(({ id }) => id));
        expect(designOf(after).nodes.map(({ id }) => id)).not.toContain(node.id);
      } else continue;
      touched[kind]++;
      const now = partsOf(after);
      for (const [id, part] of before)
        if (!may.includes(id) && now.get(id) !== part) {
          // A comment above a removed node stays and is now above the next one.
          expect(kind, `${id} changed:\n${part}\n---\n${now.get(id)}`).toBe('remove');
          expect(now.get(id)?.startsWith(part)).toBe(true);
        }
      if (kind !== 'remove' && kind !== 'set' && kind !== 'header')
        expect(commentsOf(after)).toEqual(commentsOf(text));
      text = after;
    }
    const counts = Object.values(touched);
    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1_000);
  }, 300_000);

  it('keeps line breaks of Windows', () => {
    const text = (texts[0] ?? '').replaceAll('\n', '\r\n');
    const design = designOf(text);
    const node = design.nodes[1];
    if (!node) throw new Error('the text has one node');
    const after = setAttribute(text, node, ['attempts'], 5);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(parse(after).nodes[1].attempts).toBe(5);
  });

  it('keeps an edge that withdraws work, and gives a return without a target one', () => {
    const text =
      'nodes:\n  - id: r\n    kind: review\n    on:\n      reject: {to: a, cancel: all} # final\n      return:\n';
    const [node] = designOf(text).nodes;
    const [reject, back] = node ? connectionsOf(node) : [];
    if (!node || !reject || !back) throw new Error('a connection is missing');
    expect(connect(text, node, reject, 'b')).toBe(text.replace('to: a', 'to: b'));
    expect(connect(text, node, back, 'b')).toBe(text.replace('return:', 'return: b'));
  });

  it('adds a word that is usually between braces, and an item of a list in lines', () => {
    const text =
      'nodes:\n  - id: r\n    kind: review\n  - id: f\n    kind: fork\n    to:\n      - a\n';
    const [review, fork] = designOf(text).nodes;
    if (!review || !fork) throw new Error('a node is missing');
    expect(setAttribute(text, review, ['undo'], '5m')).toBe(
      text.replace('kind: review\n', 'kind: review\n    undo: 5m\n'),
    );
    expect(addBranch(text, fork, 'b', '')).toBe(`${text.trimEnd()}\n      - b\n`);
  });

  it('adds what a rejected case needs with the first review', () => {
    const text =
      'on_abandon: x\nnodes:\n  - id: start\n    kind: start\n    next: done\n  - {id: done, kind: end, status: archived}\n';
    const design = designOf(text);
    const [start] = design.nodes;
    const [next] = start ? connectionsOf(start) : [];
    if (!start || !next) throw new Error('the start leads nowhere');
    const added = designOf(addNode(text, design, start, next, 'review').text);
    const review = added.nodes.find(({ id }) => id === 'review');
    expect(review && connectionsOf(review).map(({ label, to }) => [label, to])).toEqual([
      ['approve', 'done'],
      ['reject', 'seal_rejected'],
      ['return', 'done'],
    ]);
    expect(added.nodes.map(({ kind }) => kind)).toEqual(['start', 'review', 'stage', 'end', 'end']);
  });
});

it('a reminder is added after the last one, changed and removed', () => {
  let text =
    'key: expense\nnodes:\n  - id: check\n    kind: review\n    decide_within: 24h\n    on: {approve: x, reject: y}\n';
  const check = () => designOf(text).nodes[0] as ReturnType<typeof designOf>['nodes'][number];
  const shown = () =>
    fieldsOf(check())
      .map(fieldKey)
      .filter((key) => key.startsWith('remind'));
  expect(shown()).toEqual(['remind_0']);
  text = setAttribute(text, check(), ['remind', 0], '4h');
  expect(text).toContain('    decide_within: 24h\n    remind: [4h]\n    on:');
  expect(shown()).toEqual(['remind_0', 'remind_1']);
  text = setAttribute(text, check(), ['remind', 1], '1h');
  expect(check().attributes.remind).toEqual(['4h', '1h']);
  expect(shown()).toEqual(['remind_0', 'remind_1', 'remind_2']);
  text = setAttribute(text, check(), ['remind', 0], undefined);
  text = setAttribute(text, check(), ['remind', 0], undefined);
  expect(text).not.toContain('remind');
});

describe('a failure', () => {
  const failing = (errors: string) =>
    `nodes:\n  - id: a\n    kind: stage # first\n${errors}  - {id: b, kind: end}\n`;

  it('is caught before the connection for all others, which is the last', () => {
    const caught = failing('    next: b\n');
    const nodeOf = (text: string) => designOf(text).nodes[0] as Design['nodes'][number];
    const all = addError(caught, nodeOf(caught), 'b');
    expect(all).toBe(failing('    next: b\n    errors:\n      - {to: b}\n'));
    const one = addError(all, nodeOf(all), 'b');
    expect(parse(one).nodes[0].errors).toEqual([{ codes: ['DamagedFile'], to: 'b' }, { to: 'b' }]);
    const named = setCodes(one, nodeOf(one), 0, 'EncryptedFile，FileTooComplex ');
    expect(parse(named).nodes[0].errors[0].codes).toEqual(['EncryptedFile', 'FileTooComplex']);
    expect(one.replace('[DamagedFile]', '[EncryptedFile, FileTooComplex]')).toBe(named);
    expect(parse(setCodes(named, nodeOf(named), 0, '')).nodes[0].errors[0]).toEqual({ to: 'b' });
  });
});

describe('an entry point', () => {
  it('is set, and removed without another change', () => {
    for (const text of texts)
      for (const entry of ['re_enter', 'on_replace', 'on_enter', 'on_abandon']) {
        const node = designOf(text).nodes.at(-1)?.id;
        const set = setHeader(text, [entry], node);
        expect(designOf(set).header[entry]).toBe(node);
        const line = new RegExp(`^${entry}: .*\\n`, 'm');
        expect(set.replace(line, '')).toBe(text.replace(line, ''));
        expect(setHeader(set, [entry], undefined)).toBe(text.replace(line, ''));
      }
  });
});

describe('a text for the drawing', () => {
  it('is read with unfinished connections, which are not drawn', () => {
    const graph = graphOf(
      designOf(
        'nodes:\n  - id: start\n    kind: start\n    next: nowhere\n  - id: a\n    kind: review\n',
      ),
    );
    expect(graph.nodes.map(({ id }) => id)).toEqual(['start', 'a']);
    expect(graph.lines).toEqual([]);
  });

  it.each([
    ['nodes: [', 'syntax'],
    [`nodes: ${'['.repeat(50_000)}`, 'syntax'],
    ['a: 1\na: 2\nnodes: []', 'syntax'],
    ['nodes:\n\t- id: a', 'syntax'],
    ['nodes: []\n---\nnodes: []', 'syntax'],
    ['a: &x 1\nnodes:\n  - id: *x\n', 'aliases'],
    ['nodes: 3', 'list'],
    ['- 1', 'list'],
    ['', 'list'],
    [`# ${'x'.repeat(250_001)}`, 'size'],
    [`nodes:\n${'- {id: a}\n'.repeat(10_000)}`, 'size'],
  ])('is refused with a reason: %.20s', (text, reason) => {
    const read = readDesign(text);
    expect('problem' in read && read.problem.reason).toBe(reason);
  });
});

it('attributes of the submission are declared and compared without the text', () => {
  const before =
    'key: expense\non_abandon: gone\nnodes:\n  - {id: start, kind: start, next: gone}\n';
  const added = setHeader(before, ['attributes'], [newAttribute(designOf(before))]);
  const named = setHeader(added, ['attributes', 0, 'name'], 'department');
  const typed = setHeader(named, ['attributes', 0, 'type'], 'choice');
  const text = setHeader(
    typed,
    ['attributes', 0, 'choices'],
    choicesOf('sales, Sales, 销售\n\nfinance'),
  );
  expect(declaredIn(text)).toEqual([
    {
      name: 'department',
      type: 'CHOICE',
      required: true,
      labels: [],
      choices: [
        {
          key: 'sales',
          labels: [
            { name: 'en', value: 'Sales' },
            { name: 'zh', value: '销售' },
          ],
        },
        { key: 'finance', labels: [] },
      ],
      maxLength: null,
      currency: null,
    },
  ]);
  expect(text.indexOf('attributes:')).toBeLessThan(text.indexOf('nodes:'));
  expect(comparableAttributes(designOf(text))).toEqual([
    expect.objectContaining({ name: 'department', type: 'CHOICE', required: true }),
  ]);
  const guard = {
    join: 'and' as const,
    comparisons: [{ fact: 'attribute', is: 'equal', name: 'department', value: 'sales' } as const],
  };
  expect(guardText(guard, processVocabulary)).toBe('attributes.department == "sales"');
  expect(guardOf('attributes.department == "sales"', processVocabulary)).toEqual(guard);
});

it('a branch compares attributes that have a value in every case', () => {
  const declare = (type: string, required: boolean) =>
    `  - {name: ${type}_${required}, type: ${type}${required ? ', required: true' : ''}}\n`;
  const text = `attributes:\n${['choice', 'text', 'integer', 'date', 'money', 'yes_no']
    .flatMap((type) => [declare(type, true), declare(type, false)])
    .join('')}nodes:\n  - {id: start, kind: start}\n`;
  expect(comparableAttributes(designOf(text)).map(({ name }) => name)).toEqual([
    ...['choice_true', 'choice_false', 'text_true', 'text_false', 'integer_true'],
    ...['date_true', 'date_false', 'money_true', 'yes_no_true'],
  ]);
});

it('a condition that the form cannot express is kept byte for byte, and one of an attribute is edited alone', () => {
  const foreign = 'attributes.people  *2 > 3||risk>=30';
  const text = `attributes:\n  - {name: people, type: integer, required: true}\nnodes:\n  - id: g\n    kind: exclusive\n    branches:\n      - {when: '${foreign}', to: g} # kept\n      - {when: 'attributes.people > 3', to: g}\n    default: g\n`;
  const node = designOf(text).nodes[0] as Design['nodes'][number];
  expect(guardOf(foreign, processVocabulary)).toBe(null);
  const guard = guardOf('attributes.people > 3', processVocabulary);
  const changed = setAttribute(
    text,
    node,
    ['branches', 1, 'when'],
    guard && guardText({ ...guard, join: 'and' }, processVocabulary),
  );
  expect(changed).toBe(text.replace("'attributes.people > 3'", 'attributes.people >= 4'));
});

it('amounts of the document and lists of an attribute are edited in the form, and other branches keep every byte', () => {
  const conditions = [
    'currency=="EUR"  &&  amount_known&&amount_minor < 500000', // white space that the form does not keep
    'currency == "EUR" && amount_known && amount_minor < 500000',
    'attributes.department in ["it","sales"]',
    '!( attributes.department in ["it"] )',
    'amount_minor % 100 == 0 && attributes.department in ["it"]',
  ];
  const branches = conditions.map((when) => `      - {when: '${when}', to: g} # kept\n`);
  const text = `attributes:\n  - {name: department, type: choice, required: true, choices: [{key: it}, {key: sales}]}\nnodes:\n  - id: g\n    kind: exclusive\n    branches:\n${branches.join('')}    default: g\n`;
  const node = designOf(text).nodes[0] as Design['nodes'][number];
  const guards = conditions.map((when) => guardOf(when, processVocabulary));
  expect(guards.map((guard) => guard?.comparisons.at(-1)?.is ?? null)).toEqual([
    null, // an operator without spaces is no condition of a form
    'below',
    'oneOf',
    'noneOf',
    null,
  ]);
  guards.forEach((guard, at) => {
    const again = guard && guardText(guard, processVocabulary);
    if (!again) return;
    const changed = setAttribute(text, node, ['branches', at, 'when'], again);
    const [before, after] = [text.split('\n'), changed.split('\n')];
    // Nothing but the line of the branch differs, also its comment stays.
    expect(after.filter((line, index) => line !== before[index]).length).toBeLessThanOrEqual(1);
    expect(after.filter((line) => line.endsWith('# kept'))).toHaveLength(conditions.length);
    expect(guardOf(again, processVocabulary)).toEqual(guard);
  });
  const listed = guards[2] as NonNullable<(typeof guards)[number]>;
  const wider = {
    ...listed,
    comparisons: [
      { fact: 'attribute', is: 'oneOf', name: 'department', values: ['it', 'sales', ''] } as const,
    ],
  };
  expect(guardText(wider, processVocabulary)).toBe('attributes.department in ["it", "sales", ""]');
});
