// What the review machine holds, and the events that it accepts.
import type { Failure, Refusal } from '../../lib/refusals';
import type { ReviewPart, ServerState, TypedValues, Verdict } from './review-values';

/** A value that was neither declared nor read. */
export type Entered = 'amount' | 'payee' | 'account' | 'country';

export interface ReviewContext {
  serverState: ServerState;
  /** The values that the user has seen since the claim; null before it. */
  reviewedValues: Readonly<Record<string, string>> | null;
  typed: TypedValues;
  reason: string;
  /** The unsaved line items as the draft keeps them; empty if there are none. */
  lines: string;
  verdict: Verdict | null;
  /** The command is sent with `confirm`. */
  confirmed: boolean;
  /** The fields whose current values are being confirmed; null if corrections are being saved. */
  confirming: readonly string[] | null;
  /** The typed values of the last save. */
  sent: TypedValues;
  /** A command was refused as stale; the next server state decides what to show. */
  awaiting: boolean;
  /** The version that was refused: a state of it that still arrives is not the awaited one. */
  refusedVersion: string | null;
  /** What has changed beside the fields and was not acknowledged; empty if it is unknown what, null if nothing. */
  moved: readonly ReviewPart[] | null;
  /** What was typed and not sent when the review ended elsewhere. */
  unsent: { reason: string; typed: TypedValues } | null;
  /** The review has ended and the user may no longer read it. */
  withdrawn: boolean;
  refusals: readonly Refusal[];
  failure: Failure | null;
  /** What the user entered of their own, as the last question before a save named it. */
  entered: readonly Entered[];
  outcome: 'decided' | 'reassigned' | 'passedOn' | null;
}

export type ReviewEvent =
  | { type: 'SERVER_STATE'; serverState: ServerState }
  | { type: 'CLAIM' }
  | { type: 'RELEASE' }
  | { type: 'TYPE'; name: string; value: string }
  | { type: 'UNDO'; name: string }
  | { type: 'WRITE_REASON'; text: string }
  | { type: 'WRITE_LINES'; text: string }
  | { type: 'RESTORE'; typed: TypedValues; reason: string; lines: string }
  | { type: 'SAVE' }
  | { type: 'CONFIRM_VALUES'; names: readonly string[] }
  /** States something about the case that is neither a value nor a verdict. */
  | { type: 'STATE' }
  | { type: 'CONFIRM' }
  | { type: 'CANCEL' }
  | { type: 'CHOOSE_VERDICT'; verdict: Verdict }
  | { type: 'DECIDE' }
  /** States the first of two reasons, after which another reviewer decides. */
  | { type: 'PASS_ON' }
  | { type: 'KEEP_MINE'; name: string }
  | { type: 'TAKE_THEIRS'; name: string }
  | { type: 'ACKNOWLEDGE' }
  /** The command succeeded; the review after it. */
  | { type: 'DONE'; serverState: ServerState }
  | { type: 'CONFIRMATION_NEEDED'; refusals: readonly Refusal[] }
  /** Refused, because the version that was sent is not the present one. */
  | { type: 'STALE'; version?: string }
  /** The server no longer shows the review to the user. */
  | { type: 'WITHDRAWN' }
  | { type: 'LOST'; holder: string | null }
  /** The claim was lost, as reported by a heartbeat or a draft instead of a command. */
  | { type: 'GONE'; holder: string | null }
  | { type: 'REFUSED'; refusals: readonly Refusal[] }
  | { type: 'FAILED'; failure: Failure }
  /** The connection to the server is back. */
  | { type: 'CONNECTED' };

export const noProblem = { refusals: [], failure: null } as const;

/** A review of which nothing was decided, or no longer is. */
export const undecided = {
  outcome: null,
  verdict: null,
  reason: '',
  confirmed: false,
  moved: null,
  unsent: null,
  withdrawn: false,
  ...noProblem,
} as const;
