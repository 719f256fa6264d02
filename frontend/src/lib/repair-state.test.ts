import { expect, it } from 'vitest';
import { type RepairState, repairStateOf } from './repair-state';

const event = (type: string, body: object = {}) => ({ type, body });
const opened = event('incident.opened', { node: 'read' });
const retried = event('incident.resolved', { node: 'read', how: 'retry' });
const entered = event('incident.resolved', { node: 'read', how: 'enter' });
const done = (node: string) => event('stage.completed', { node });

it.each<[string, ReturnType<typeof event>[], RepairState]>([
  ['nothing', [done('read')], 'none'],
  ['a step failed permanently', [opened], 'open'],
  ['a retry was asked for', [opened, retried], 'repairing'],
  [
    'the step began again',
    [opened, retried, event('stage.started', { node: 'read' })],
    'repairing',
  ],
  ['another step passed', [opened, retried, done('screen')], 'repairing'],
  ['the step itself passed', [opened, retried, done('read')], 'over'],
  ['it failed again', [opened, retried, opened], 'open'],
  ['and was repaired then', [opened, retried, opened, retried, done('read')], 'over'],
  ['values were entered', [opened, entered], 'repairing'],
  ['the step after them passed', [opened, entered, done('validate')], 'over'],
  ['a review was opened', [opened, entered, event('review.opened')], 'over'],
  ['it was abandoned', [opened, event('case.abandoned')], 'over'],
])('%s', (_name, events, state) => {
  expect(repairStateOf(events)).toBe(state);
});
