import { describe, expect, it } from 'vitest';
import { filterPeople, type Person } from './people';

const person = (name: string, role: string, email: string | null = null) =>
  ({ id: name, name, email, roles: [role], queues: ['L1'] }) as unknown as Person;

const people = [
  person('Jun Park', 'REVIEWER_L1'),
  person('Ada Moreau', 'ADMINISTRATOR', 'admin@demo.test'),
];
const names = (list: Person[]) => list.map(({ name }) => name);

describe('filtering people', () => {
  it('matches name, email and queue case-insensitively', () => {
    expect(names(filterPeople(people, ' JUN ', null))).toEqual(['Jun Park']);
    expect(names(filterPeople(people, 'admin@', null))).toEqual(['Ada Moreau']);
    expect(names(filterPeople(people, 'l1', null))).toEqual(['Ada Moreau', 'Jun Park']);
  });

  it('matches the role', () => {
    expect(names(filterPeople(people, '', 'REVIEWER_L1'))).toEqual(['Jun Park']);
    expect(filterPeople(people, 'ada', 'REVIEWER_L1')).toEqual([]);
  });
});
