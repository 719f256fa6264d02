// What language models were asked about a case, from their runs and from the events of steps that
// asked nothing.

/** One HTTP request to the endpoint of a language model. */
export interface ModelCall {
  status: number;
  outcome: string;
  ms: string;
}

export interface ModelRun {
  at: string;
  model: string;
  documentRevision: number;
  outcome: 'ANSWERED' | 'FAILED';
  errorCode: string;
  error: string;
  calls: readonly ModelCall[];
  inputTokens: string;
  outputTokens: string;
  costMicros: string;
  currency: string;
  tookMs: string;
  promptHash: string;
  prompt: string;
  answer: string;
  pages: number;
  removed: number;
  imageCount: number;
  images: readonly ModelImage[];
  omittedImages: readonly ModelOmission[];
}

/** The image of a page that was sent. */
export interface ModelImage {
  page: number;
  sha256: string;
  mediaType: string;
  width: number;
  height: number;
  bytes: number;
}

/** Pages whose images were not sent. */
export interface ModelOmission {
  reason: 'NEVER_SENT' | 'PAGE_LIMIT' | 'TOO_LARGE' | 'REQUEST' | 'MISSING' | 'UNREADABLE';
  pages: readonly number[];
}

/** The name of the stub of the demo, which is no language model. */
export const demoStub = 'demo-stub';

/** Why a step did not ask the model. */
export const unaskedOutcomes = ['used', 'off', 'not_allowed', 'no_text', 'budget'] as const;

export type UnaskedOutcome = (typeof unaskedOutcomes)[number];

/** A run, or a step that asked nothing. */
export type ModelEntry =
  | { kind: 'run'; at: string; run: ModelRun }
  | { kind: 'unasked'; at: string; outcome: UnaskedOutcome; freesAt: string | null };

interface StageEvent {
  type: string;
  at: string;
  body?: unknown;
}

interface ModelSummary {
  outcome?: unknown;
  freesAt?: unknown;
}

/** The runs and the steps that asked nothing, oldest first. */
export function modelEntries(
  runs: readonly ModelRun[],
  events: readonly StageEvent[],
): ModelEntry[] {
  const unasked = events.flatMap((event): ModelEntry[] => {
    if (event.type !== 'stage.completed') return [];
    const body = event.body as { summary?: { model?: ModelSummary } } | null | undefined;
    const summary = body?.summary?.model;
    const outcome = unaskedOutcomes.find((one) => one === summary?.outcome);
    if (!outcome) return [];
    const freesAt = typeof summary?.freesAt === 'string' ? summary.freesAt : null;
    return [{ kind: 'unasked', at: event.at, outcome, freesAt }];
  });
  const asked = runs.map((run): ModelEntry => ({ kind: 'run', at: run.at, run }));
  return [...asked, ...unasked].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const callOutcomes = [
  'answered',
  'timeout',
  'rate_limited',
  'unavailable',
  'refused',
  'cut',
  'too_large',
  'invalid_json',
  'schema_miss',
] as const;

export type CallOutcome = (typeof callOutcomes)[number];

/** The outcome of a call that this build knows; null for another one. */
export function callOutcome(call: ModelCall | undefined): CallOutcome | null {
  return callOutcomes.find((one) => one === call?.outcome) ?? null;
}

/** Why a failed run has no answer, by its last call; null if that answered or is unknown. */
export function failureOfRun(run: ModelRun): Exclude<CallOutcome, 'answered'> | 'none' | null {
  if (run.calls.length === 0) return 'none';
  const outcome = callOutcome(run.calls.at(-1));
  return outcome === 'answered' ? null : outcome;
}

/** The prompt and the answer were erased with the case. */
export const isErased = (run: ModelRun): boolean => run.promptHash === '' && run.prompt === '';

/** Numbers of pages in order, neighbours as ranges: 1, 3–7. */
export function pageRanges(pages: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const page of [...pages].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && page <= last[1] + 1) last[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

/** The media type as its usual name: PNG, JPEG. */
export const imageKind = (mediaType: string): string =>
  mediaType.replace(/^image\//, '').toUpperCase();

/** A cost in millionths of a currency, exact to the last one. */
export function costText(micros: string, currency: string, locale: string): string {
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  }).format(Number(micros) / 1_000_000);
}

/** A duration: 340 ms, 2.4 sec. */
export function durationText(ms: string, locale: string): string {
  const short = Number(ms) < 1_000;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: short ? 'millisecond' : 'second',
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(short ? Number(ms) : Number(ms) / 1_000);
}

/** The JSON with line breaks; a text that is no JSON is returned unchanged. */
export function readableJSON(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
