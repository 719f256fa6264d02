// The scopes that an access key can be limited to, in the order of the form.
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
  'events',
  'notes',
  'manage_people',
  'publish',
  'account',
] as const;

export type Scope = (typeof scopes)[number];

/** Whether this build knows the scope; an unknown scope is shown by its name. */
export const isScope = (name: string): name is Scope =>
  (scopes as readonly string[]).includes(name);
