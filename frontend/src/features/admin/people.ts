// The users as the page lists them.
import type { AllPeopleQuery } from '../../graphql/generated/graphql';

export type Person = AllPeopleQuery['people'][number];
export type Limit = Person['limits'][number];

/** Roles as the API names them. */
export const roles = [
  'SUBMITTER',
  'REVIEWER_L1',
  'REVIEWER_SENIOR',
  'REVIEWER_L2',
  'REVIEWER_AML',
  'MANAGER',
  'AUDITOR',
  'ADMINISTRATOR',
  'EXTERNAL_WORKER',
] as const;

/** Returns the users that match the text (name, email or queue) and the role, sorted by name. */
export function filterPeople(
  people: readonly Person[],
  text: string,
  role: string | null,
): Person[] {
  const query = text.trim().toLowerCase();
  const searchText = (person: Person) =>
    `${person.name} ${person.email ?? ''} ${person.queues.join(' ')}`.toLowerCase();
  return people
    .filter(
      (person) =>
        searchText(person).includes(query) && (!role || person.roles.some((one) => one === role)),
    )
    .sort((a, b) => a.name.localeCompare(b.name));
}
