import { expect, test } from 'vitest';
import { documentStatusOf } from './document-status';
import { lateSteps, lifeLine, publicLine, shortLine } from './life-line';

const node = (id: string, kind: string, status: string | null = null) => ({ id, kind, status });
const line = (from: string, to: string, kind = 'NEXT', label = '') => ({ from, to, kind, label });

/** Reading, a gateway with a way round the first review, two reviews in parallel, a payment. */
const graph = {
  nodes: [
    node('start', 'start'),
    node('read', 'stage'),
    node('route', 'exclusive'),
    node('first', 'review'),
    node('split', 'fork'),
    node('kyc', 'review'),
    node('credit', 'review'),
    node('meet', 'join'),
    node('pay', 'saga'),
    node('seal_rejected', 'stage'),
    node('archived', 'end', 'ARCHIVED'),
    node('rejected', 'end', 'REJECTED'),
  ],
  lines: [
    line('start', 'read'),
    line('read', 'route'),
    line('route', 'first', 'BRANCH', 'amount > 10'),
    line('route', 'split', 'DEFAULT'),
    line('first', 'split', 'VERDICT', 'approve'),
    line('first', 'read', 'RETURN', 'return'),
    line('first', 'seal_rejected', 'VERDICT', 'reject'),
    line('split', 'kyc'),
    line('split', 'credit'),
    line('kyc', 'meet', 'VERDICT', 'approve'),
    line('credit', 'meet', 'VERDICT', 'approve'),
    line('meet', 'pay'),
    line('pay', 'archived'),
    line('pay', 'seal_rejected', 'ERROR'),
    line('seal_rejected', 'rejected'),
  ],
};

const at = (tokens: string[], visited: string[], more = {}) =>
  lifeLine(graph, {
    tokens: tokens.map((id) => ({ node: id, visit: 1 })),
    visits: visited.map((id) => ({ node: id, visit: 1 })),
    failed: null,
    returnsTo: null,
    ...more,
  }).map((step) => `${step.node.id} ${step.mark}`);

test('steps that may be skipped are not promised, steps on every way are', () => {
  expect(at(['read'], ['read'])).toEqual(['read now', 'pay todo', 'archived todo']);
});

test('parallel reviews run at the same time', () => {
  expect(at(['kyc', 'credit'], ['read', 'kyc', 'credit'])).toEqual([
    'read done',
    'kyc now',
    'credit now',
    'pay todo',
    'archived todo',
  ]);
});

test('a step that ran is kept, one that never ran is not shown', () => {
  expect(at([], ['read', 'seal_rejected', 'rejected'])).toEqual([
    'read done',
    'seal_rejected done',
    'rejected done',
  ]);
});

test('a failed step is marked, and the steps after it are still upcoming', () => {
  expect(at(['pay'], ['read', 'pay'], { failed: 'pay' })).toEqual([
    'read done',
    'pay trouble',
    'archived todo',
  ]);
});

test('after a return the steps from the return on are upcoming again', () => {
  expect(at([], ['read', 'first'], { returnsTo: 'read' })).toEqual([
    'read todo',
    'first done',
    'pay todo',
    'archived todo',
  ]);
});

test('a step that its time limit ended is late, and none that decided then or in a later visit', () => {
  const limited = {
    nodes: [...graph.nodes, node('late', 'review')],
    lines: [...graph.lines, line('first', 'late', 'TIMEOUT'), line('late', 'split', 'VERDICT')],
  };
  const passed = [{ type: 'work.timed_out', body: { node: 'first', visit: 1 } }];
  const late = (visit: number, entered: string[], events = passed) => [
    ...lateSteps(
      limited,
      [{ node: 'first', visit }, ...entered.map((id) => ({ node: id, visit: 1 }))],
      events,
    ),
  ];
  expect(late(1, ['late'])).toEqual(['first']);
  expect(late(1, ['split'])).toEqual([]);
  expect(late(2, ['late'])).toEqual([]);
  expect(late(1, ['late'], [])).toEqual([]);
});

test('a viewer without the position sees no upcoming step', () => {
  expect(at([], ['read'])).toEqual(['read done']);
});

const event = (type: string, status: string | null, behaviour?: string) => ({
  type,
  status,
  body: behaviour ? { behaviour } : {},
});

test('the short line shows only stages that ran', () => {
  const events = [
    event('case.submitted', 'RECEIVED'),
    event('stage.started', 'PROCESSING', 'read'),
    event('stage.completed', null, 'read'),
  ];
  expect(shortLine(documentStatusOf(events, 'IN_REVIEW'))).toEqual([
    { step: 'uploaded', mark: 'done' },
    { step: 'read', mark: 'done' },
    { step: 'review', mark: 'now' },
    { step: 'archived', mark: 'todo' },
  ]);
});

test('the short line is the same for every queue and names no other stage', () => {
  const events = [
    event('case.submitted', 'RECEIVED'),
    event('stage.started', 'PROCESSING', 'aml_screen'),
    event('stage.completed', null, 'aml_screen'),
  ];
  expect(shortLine(documentStatusOf(events, 'IN_REVIEW'))).toEqual(
    shortLine(documentStatusOf(events.slice(0, 1), 'IN_REVIEW')),
  );
});

test('a returned document waits for an answer, it has no incident', () => {
  const events = [event('case.submitted', 'RECEIVED'), event('case.returned', 'RETURNED')];
  expect(shortLine(documentStatusOf(events, 'RETURNED'))).toEqual([
    { step: 'uploaded', mark: 'done' },
    { step: 'review', mark: 'asked' },
    { step: 'archived', mark: 'todo' },
  ]);
});

test('the stage of an incident is drawn, and another attempt clears it', () => {
  const failed = [
    event('case.submitted', 'RECEIVED'),
    event('stage.started', 'PROCESSING', 'read'),
    event('stage.failed', null),
    event('incident.opened', 'INCIDENT'),
  ];
  expect(shortLine(documentStatusOf(failed, 'INCIDENT'))[1]).toEqual({
    step: 'read',
    mark: 'trouble',
  });
  const again = [
    ...failed,
    event('incident.resolved', 'PROCESSING'),
    event('stage.started', 'PROCESSING', 'read'),
    event('stage.completed', null, 'read'),
  ];
  expect(shortLine(documentStatusOf(again, 'PROCESSING'))[1]).toEqual({
    step: 'read',
    mark: 'done',
  });
});

test('a failed stage that submitters may not know of is not named', () => {
  const events = [
    event('case.submitted', 'RECEIVED'),
    event('stage.started', 'PROCESSING', 'aml_screen'),
    event('stage.failed', null),
    event('incident.opened', 'INCIDENT'),
  ];
  expect(shortLine(documentStatusOf(events, 'INCIDENT')).map(({ step }) => step)).toEqual([
    'uploaded',
    'review',
    'archived',
  ]);
});

test('a submitter sees the steps of the process by public events, and every review as one', () => {
  const event = (type: string, id: string, status: string | null = null) => ({
    type,
    status,
    body: { node: id, behaviour: id },
  });
  const shown = (events: ReturnType<typeof event>[], status: string) =>
    publicLine(graph, events, documentStatusOf(events, status)).map(
      (step) => `${step.node?.id ?? '*'} ${step.mark}`,
    );
  const read = [event('stage.started', 'read', 'PROCESSING'), event('stage.completed', 'read')];
  expect(shown([], 'RECEIVED')).toEqual(['read todo', '* todo', 'pay todo', 'archived todo']);
  expect(shown(read.slice(0, 1), 'PROCESSING')).toEqual([
    'read now',
    '* todo',
    'pay todo',
    'archived todo',
  ]);
  // Which review it is does not follow from the line.
  expect(shown(read, 'IN_REVIEW')).toEqual(['read done', '* now', 'pay todo', 'archived todo']);
  const failed = [...read.slice(0, 1), event('stage.failed', 'read', 'INCIDENT')];
  expect(shown(failed, 'INCIDENT')[0]).toBe('read trouble');
  const paid = [...read, event('saga.step_done', 'pay', 'SETTLING')];
  expect(shown(paid, 'SETTLING')).toEqual(['read done', '* done', 'pay now', 'archived todo']);
  expect(shown(paid, 'ARCHIVED')).toEqual(['read done', '* done', 'pay done', 'archived done']);
  const rejected = [...read, event('stage.completed', 'seal_rejected', 'REJECTED')];
  expect(shown(rejected, 'REJECTED')).toEqual([
    'read done',
    '* done',
    'seal_rejected done',
    'rejected done',
  ]);
});
