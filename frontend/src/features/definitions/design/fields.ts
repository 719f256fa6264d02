// The attributes of each kind of node that the form shows.
import type { Path } from './edit-text';

export type FieldType = 'text' | 'number' | 'duration' | 'money' | 'choice' | 'queue' | 'switch';

export interface FieldSpec {
  path: Path;
  type: FieldType;
  /** The values of a choice; '' removes the attribute. */
  choices?: readonly string[];
  /** What holds without the attribute; the form shows it in its place. */
  usual?: string | number;
  min?: number;
  max?: number;
  /** Without the attribute the node is not valid. */
  required?: boolean;
  /** Only a committee can have the attribute. */
  ofCommittee?: boolean;
}

const attempts: FieldSpec[] = [
  { path: ['attempts'], type: 'number', usual: 3, min: 1, max: 20 },
  { path: ['backoff'], type: 'duration', usual: '1s' },
];

const review: FieldSpec[] = [
  { path: ['queue'], type: 'queue', required: true },
  { path: ['seats'], type: 'number', usual: 1, min: 1, max: 9 },
  { path: ['quorum'], type: 'number', min: 1, max: 9 },
  {
    path: ['decide_by'],
    type: 'choice',
    choices: ['first_rejection', 'count', 'majority', 'unanimous'],
    usual: 'first_rejection',
  },
  { path: ['abstain'], type: 'switch', usual: 'false', ofCommittee: true },
  {
    path: ['votes'],
    type: 'choice',
    choices: ['open', 'hidden'],
    usual: 'open',
    ofCommittee: true,
  },
  { path: ['chair_queue'], type: 'queue', ofCommittee: true },
  { path: ['chair_level'], type: 'number', min: 1, max: 9, ofCommittee: true },
  { path: ['veto_queue'], type: 'queue', ofCommittee: true },
  { path: ['veto_level'], type: 'number', min: 1, max: 9, ofCommittee: true },
  { path: ['claim_within'], type: 'duration', usual: '2h' },
  { path: ['overdue'], type: 'choice', choices: ['alert', 'reassign'], usual: 'alert' },
  { path: ['decide_within'], type: 'duration', usual: '24h' },
  { path: ['remind', 0], type: 'duration' },
  { path: ['remind', 1], type: 'duration' },
  { path: ['remind', 2], type: 'duration' },
  { path: ['escalate_to'], type: 'queue' },
  { path: ['level'], type: 'number', usual: 1, min: 1, max: 9 },
  { path: ['duty'], type: 'text', usual: 'approval' },
  { path: ['undo'], type: 'duration' },
  { path: ['signature_above'], type: 'money' },
  { path: ['bulk', 'max_amount'], type: 'money' },
  { path: ['bulk', 'max_risk'], type: 'number', min: 0, max: 100 },
  { path: ['bulk', 'undo'], type: 'duration' },
];

const fields: Readonly<Record<string, readonly FieldSpec[]>> = {
  stage: [
    {
      path: ['behaviour'],
      type: 'choice',
      choices: ['read', 'extract', 'parse', 'validate', 'assess', 'archive'],
      required: true,
    },
    {
      path: ['queue'],
      type: 'choice',
      choices: ['light', 'ocr', 'model', 'connect'],
      usual: 'light',
    },
    { path: ['outcome'], type: 'choice', choices: ['', 'archived', 'rejected', 'abandoned'] },
    ...attempts,
  ],
  external: [
    { path: ['topic'], type: 'text', required: true },
    { path: ['lease'], type: 'duration', usual: '5m' },
    { path: ['pays'], type: 'switch', usual: 'true' },
    ...attempts,
  ],
  saga: attempts,
  timer: [{ path: ['after'], type: 'duration', required: true }],
  review,
  end: [
    {
      path: ['status'],
      type: 'choice',
      choices: ['archived', 'rejected', 'abandoned'],
      required: true,
    },
  ],
};

/** The fields of a node, without its titles and connections. */
export function fieldsOf(
  { kind, attributes }: { kind: string; attributes: Readonly<Record<string, unknown>> },
  callable = false,
): readonly FieldSpec[] {
  // The ends of a process that others call have no status.
  if (kind === 'end' && callable) return [];
  const rule = attributes.decide_by ?? 'first_rejection';
  const reminders = Array.isArray(attributes.remind) ? attributes.remind.length : 0;
  return (fields[kind] ?? []).filter(({ ofCommittee, path: [name, index] }) => {
    // A reminder can be added after the last one.
    if (name === 'remind') return Number(index) <= reminders;
    return !ofCommittee || rule !== 'first_rejection' || attributes[String(name)] !== undefined;
  });
}

/** The name under which the texts of the field are. */
export const fieldKey = ({ path }: FieldSpec) => path.join('_');
