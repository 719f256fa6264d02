// What happened, in a sentence of the reader's language: by the event's type and the values of its body, never by the
// sentence that the contract carries for other readers.
import type { TFunction } from 'i18next';
import type { CountersignEvent } from '../graphql/generated/events';
import { type EventType, isKnownEvent } from './case-events';
import { groupedAmount } from './money';
import { fieldWords, refusalWords, stageName } from './words';

type Words = TFunction<'translation'>;
type Body<T extends EventType> = Extract<CountersignEvent, { type: T }>['body'];

/** An event as a timeline has it; body is null after erasure, people are those whom it names. */
export interface ToldEvent {
  type: string;
  sentence: string;
  body?: unknown;
  people?: readonly { property: string; person: { name: string } }[] | null | undefined;
}

interface Teller {
  t: Words;
  language: string;
  /** The name of the person under the property of the body; null where the reader may not know. */
  name: (property: string) => string | null;
}

/** The words of a value out of a small set; a value that is not in it stands as it is. */
function worded(t: Words, set: string, value: string): string {
  const key = value.replace(/^the /, '').replaceAll(' ', '_');
  return t(`events.${set}.${key}` as 'events.unknown', { defaultValue: value });
}

/** The sentence with what somebody wrote after it, if anything. */
function withReason(teller: Teller, sentence: string, reason: string | undefined): string {
  return reason ? teller.t('events.because', { sentence, reason }) : sentence;
}

function moment(language: string, iso: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  );
}

/** What failed: the server's own English sentence carries the values; other languages say it by its code. */
function failure({ t, language }: Teller, body: { code: string; message: string }): string {
  return refusalWords(t, language, body).replace(/[.。]$/, '');
}

type Tellings = { [T in EventType]?: (body: Body<T>, teller: Teller) => string | null };

/** Types whose sentence has values; null, and every other type, is said by the plain words of the type. */
const tellings: Tellings = {
  'case.submitted': (body, { t, language }) => {
    const type = t(`life.types.${body.documentType}` as 'life.types.invoice', {
      defaultValue: body.documentType,
    });
    if (!body.declaredAmount) return t('events.said.submitted', { file: body.fileName, type });
    const amount =
      `${groupedAmount(body.declaredAmount, language)} ${body.declaredCurrency ?? ''}`.trim();
    return t('events.said.submittedWith', { file: body.fileName, type, amount });
  },
  'case.approved': (body, { t, name }) => {
    if (body.automatic) return t('events.said.approvedAutomatically');
    const by = name('by');
    return by ? t('events.said.approvedBy', { name: by }) : null;
  },
  'case.rejected': (body, teller) =>
    withReason(teller, teller.t('events.case.rejected'), body.reason),
  'case.returned': (body, teller) =>
    withReason(teller, teller.t('events.case.returned'), body.reason),
  'case.resubmitted': (body, teller) =>
    withReason(teller, teller.t('events.case.resubmitted'), body.comment),
  'case.abandoned': (body, teller) =>
    withReason(teller, teller.t('events.case.abandoned'), body.reason),
  'case.status_changed': (body, { t }) =>
    t('events.said.statusChanged', {
      status: t(`life.statusStaff.${body.status}` as 'life.statusStaff.returned', {
        defaultValue: t(`life.status.${body.status}`),
      }),
    }),
  'document.replaced': (body, { t }) =>
    t('events.said.replaced', { file: body.fileName, revision: body.revision }),
  'fields.corrected': (body, { t }) => {
    const names = body.fields.map(({ name }) => fieldWords(t, name)).join(t('life.next.comma'));
    return names === '' ? null : t('events.said.corrected', { names });
  },
  'stage.started': (body, { t }) => t('events.said.started', { stage: stageName(t, body) }),
  'stage.completed': (body, { t }) => {
    const { pages, fields, findings, blocking, risk } = body.summary ?? {};
    const parts = [
      pages !== undefined && t('events.said.pages', { count: pages }),
      fields !== undefined && t('events.said.fields', { count: fields }),
      findings !== undefined && t('events.said.findings', { count: findings }),
      blocking !== undefined && blocking > 0 && t('events.said.blocking', { count: blocking }),
      risk !== undefined && t('events.said.risk', { risk }),
    ].filter((part) => part !== false);
    const stage = stageName(t, body);
    if (parts.length === 0) return t('events.said.completed', { stage });
    return t('events.said.completedWith', { stage, parts: parts.join(t('life.next.comma')) });
  },
  'stage.retrying': (body, teller) =>
    teller.t('events.said.retrying', { attempt: body.attempt, why: failure(teller, body) }),
  'stage.failed': (body, teller) => teller.t('events.said.failed', { why: failure(teller, body) }),
  'timer.started': (body, { t, language }) =>
    t('events.said.waits', { due: moment(language, body.due) }),
  'saga.step_done': (body, { t }) => t('events.said.told', { name: body.name }),
  'saga.step_failed': (body, teller) =>
    teller.t('events.said.toldNot', { name: body.name, why: failure(teller, body) }),
  'saga.compensated': (body, { t }) => t('events.said.takenBack', { name: body.name }),
  'incident.opened': (body, teller) =>
    teller.t('events.said.incident', { why: failure(teller, body) }),
  'incident.resolved': (body, { t }) =>
    t('events.said.answered', { how: worded(t, 'how', body.how) }),
  'review.opened': (body, teller) => {
    const { t } = teller;
    if (!body.reason) return t('events.said.opened', { queue: body.queue });
    return t('events.said.openedBecause', {
      queue: body.queue,
      reason: worded(t, 'why', body.reason),
    });
  },
  'review.claimed': (_body, { t, name }) => {
    const assignee = name('assignee');
    return assignee ? t('events.said.claimed', { name: assignee }) : null;
  },
  'review.released': (body, { t, name }) => {
    const reason = worded(t, 'why', body.reason);
    const holder = name('formerAssignee');
    return holder
      ? t('events.said.releasedBy', { name: holder, reason })
      : t('events.said.released', { reason });
  },
  'review.reassigned': (body, teller) => {
    const [to, from] = [teller.name('to'), teller.name('from')];
    if (!to) return withReason(teller, teller.t('events.review.reassigned'), body.reason);
    const plain = from
      ? teller.t('events.said.reassignedFrom', { to, from })
      : teller.t('events.said.reassigned', { to });
    return withReason(teller, plain, body.reason);
  },
  'review.at_risk': (body, { t, language }) =>
    t('events.said.atRisk', { due: moment(language, body.due) }),
  'review.overdue': (body, { t, language }) =>
    t(body.deadline === 'claim_by' ? 'events.said.overdueClaim' : 'events.said.overdue', {
      due: moment(language, body.due),
    }),
  'review.decided': (body, teller) =>
    withReason(
      teller,
      teller.t('events.said.decided', { verdict: worded(teller.t, 'verdict', body.verdict) }),
      body.reason,
    ),
  'review.cancelled': (body, { t }) =>
    t('events.said.cancelled', { reason: worded(t, 'why', body.reason) }),
  'vote.fell': (body, { t, name }) => {
    const why = worded(t, 'why', body.why);
    const person = name('person');
    return person ? t('events.said.fellOf', { name: person, why }) : t('events.said.fell', { why });
  },
  'definition.published': (body, { t }) =>
    t('events.said.definition', { key: body.key, version: body.definitionVersion }),
  'policy.published': (body, { t }) => t('events.said.policy', { version: body.policyVersion }),
};

/** What happened, in words. */
export function eventWords(t: Words, language: string, event: ToldEvent): string {
  if (!isKnownEvent(event.type)) return event.sentence || t('events.unknown');
  const plain = t(`events.${event.type}`);
  if (event.body === null || event.body === undefined) return plain;
  const name = (property: string) =>
    event.people?.find((one) => one.property === property)?.person.name ?? null;
  // The table keeps type and body together; an event out of the log has the body of its type.
  const telling = tellings[event.type] as
    | ((body: unknown, teller: Teller) => string | null)
    | undefined;
  return telling?.(event.body, { t, language, name }) ?? plain;
}
