import { expect, it } from 'vitest';
import { permissionsOf, type Rule, withNextVersion } from './permissions';

const rule = (
  role: string,
  action: string,
  object: string,
  condition = '',
  effect = 'allow',
): Rule =>
  ({ name: `${role} ${action} ${object}`, role, action, object, condition, effect }) as Rule;

it('collects the permissions of a role, denied ones separately', () => {
  const rules = [
    rule('manager', 'read', 'case'),
    rule('manager', 'claim', 'queue_review', 'base_minor < 5'),
    rule('manager', 'read', 'review'),
    rule('manager', 'claim', 'queue_review', '', 'deny'),
    rule('auditor', 'read', 'case'),
  ];
  expect(permissionsOf(rules, 'manager')).toEqual([
    { action: 'claim', objects: ['queue_review'], conditional: true, denied: false },
    { action: 'read', objects: ['case', 'review'], conditional: false, denied: false },
    { action: 'claim', objects: ['queue_review'], conditional: false, denied: true },
  ]);
  expect(permissionsOf(rules, 'nobody')).toEqual([]);
});

it('increments the version of the next text', () => {
  expect(withNextVersion('{\n  "version": 12,\n  "rules": []\n}', 13)).toContain('"version": 13,');
});
