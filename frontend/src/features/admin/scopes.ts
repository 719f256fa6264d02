// What an access key can be limited to: the scopes of the schema, in the order in which they are offered.
export const scopes = [
  'read',
  'submit',
  'resubmit',
  'replace',
  'enter',
  'retry',
  'abandon',
  'claim',
  'release',
  'correct',
  'decide',
  'escalate',
  'reassign',
  'external',
  'read_audit',
  'verify',
  'manage_people',
  'publish',
  'account',
] as const;

export type Scope = (typeof scopes)[number];

/** A scope by its name, which is all that is shown of one that this page does not know. */
export const isScope = (name: string): name is Scope =>
  (scopes as readonly string[]).includes(name);
