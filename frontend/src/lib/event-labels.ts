// The message of an event in the user's language, built from its type and body. The contract's own
// sentence is for other readers.
import type { TFunction } from 'i18next';
import type { CountersignEvent } from '../graphql/generated/events';
import { type EventType, isKnownEvent } from './case-events';
import { pagesOf } from './file-parts';
import { dateTimeText, listOf } from './format';
import { fieldLabel, queueLabel, refusalMessage, stageName } from './labels';
import { groupedAmount } from './money';

type Translate = TFunction<'translation'>;
type Body<T extends EventType> = Extract<CountersignEvent, { type: T }>['body'];

/** An event of a timeline; `body` is null after erasure, `people` are the persons it refers to. */
export interface LoggedEvent {
  type: string;
  sentence: string;
  body?: unknown;
  people?: readonly { property: string; person: { name: string } }[] | null | undefined;
}

interface MessageContext {
  t: Translate;
  language: string;
  /** The name of the person in the body's property; null if the user may not know it. */
  name: (property: string) => string | null;
  known: KnownOfCase;
}

/** What the page knows of the case besides the event. */
export interface KnownOfCase {
  /** The title of a rule whose finding the case has or had. */
  ruleTitle?: (rule: string) => string | undefined;
  /** The number of findings of the stages before. */
  earlierFindings?: number;
}

/** The label of an enumerated value; an unknown value is returned unchanged. */
function valueLabel(t: Translate, set: string, value: string): string {
  const key = value.replace(/^the /, '').replaceAll(' ', '_');
  return t(`events.${set}.${key}` as 'events.unknown', { defaultValue: value });
}

/** Appends the reason to the sentence, if there is one. */
function withReason(context: MessageContext, sentence: string, reason: string | undefined): string {
  return reason ? context.t('events.because', { sentence, reason }) : sentence;
}

/** Appends the fields that were approved without a check, if there are any. */
function withUnchecked(
  { t, language }: MessageContext,
  sentence: string,
  unchecked: readonly string[] | undefined,
): string {
  if (!unchecked || unchecked.length === 0) return sentence;
  const fields = listOf(
    language,
    unchecked.map((name) => fieldLabel(t, name)),
  );
  return t('events.said.unchecked', { sentence, fields });
}

/**
 * The cause of a failure: in English the server's sentence with its values, in other languages the
 * message of its code.
 */
function failure({ t, language }: MessageContext, body: { code: string; message: string }): string {
  return refusalMessage(t, language, body).replace(/[.。]$/, '');
}

/** The findings of a stage, with those of the stages before it, because the risk is that of all. */
function findingsText(t: Translate, found: number, earlier: number): string {
  const all = t('events.said.findings', { count: found + earlier });
  return earlier > 0 ? t('events.said.newFindings', { all, count: found }) : all;
}

/** The findings of the stages before the event in the run of the same facts: those of the validation. */
export function earlierFindings(
  events: readonly { type: string; body?: unknown }[],
  index: number,
): number {
  const summaryOf = (at: number) => {
    const { behaviour, summary } = (events[at]?.body ?? {}) as {
      behaviour?: string;
      summary?: { findings?: number };
    };
    return events[at]?.type === 'stage.completed' ? { behaviour, findings: summary?.findings } : {};
  };
  if (summaryOf(index).behaviour !== 'assess') return 0;
  for (let at = index - 1; at >= 0; at--) {
    const { behaviour, findings } = summaryOf(at);
    if (behaviour === 'assess') return 0;
    if (behaviour === 'validate') return findings ?? 0;
  }
  return 0;
}

type MessageBuilders = {
  [T in EventType]?: (body: Body<T>, context: MessageContext) => string | null;
};

/**
 * The types whose message has values. For null, and for all other types, the plain message of the
 * type is used.
 */
const messageBuilders: MessageBuilders = {
  'case.submitted': (body, { t, language }) => {
    const type = t(`caseLabels.types.${body.documentType}` as 'caseLabels.types.invoice', {
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
  'case.rejected': (body, context) =>
    withReason(context, context.t('eventTypes.case.rejected'), body.reason),
  'case.returned': (body, context) =>
    withReason(context, context.t('eventTypes.case.returned'), body.reason),
  'case.resubmitted': (body, context) =>
    withReason(context, context.t('eventTypes.case.resubmitted'), body.comment),
  'case.abandoned': (body, context) =>
    withReason(context, context.t('eventTypes.case.abandoned'), body.reason),
  'case.split': (body, { t }) =>
    t('events.said.split', {
      parts: body.parts
        .map(({ reference, firstPage, lastPage }) =>
          t('parts.newPart', {
            reference,
            ...pagesOf({ first: firstPage, last: lastPage }),
          }),
        )
        .join(t('caseLabels.next.comma')),
    }),
  'case.merged': (body, context) =>
    withReason(
      context,
      context.t('events.said.merged', { reference: body.reference }),
      body.reason,
    ),
  'case.status_changed': (body, { t }) =>
    t('events.said.statusChanged', {
      status: t(`caseLabels.statusStaff.${body.status}` as 'caseLabels.statusStaff.returned', {
        defaultValue: t(`caseLabels.status.${body.status}`),
      }),
    }),
  'document.added': (body, { t }) =>
    t('events.said.added', { file: body.fileName, kind: body.kind }),
  'document.read': (body, { t }) =>
    t('events.said.readDocument', { number: body.number, pages: body.pages }),
  'document.replaced': (body, { t }) =>
    t('events.said.replaced', { file: body.fileName, revision: body.revision }),
  'fields.corrected': ({ fields, recomputed, riskBefore, riskAfter }, { t, known }) => {
    const confirmed = fields.filter(
      ({ before, after, undetermined }) => before === after && undetermined === undefined,
    );
    const entered = fields.filter((field) => !confirmed.includes(field));
    const names = (of: typeof fields) =>
      of.map(({ name }) => fieldLabel(t, name)).join(t('caseLabels.next.comma'));
    const parts = [
      entered.length > 0 && t('events.said.corrected', { names: names(entered) }),
      confirmed.length > 0 && t('events.said.confirmed', { names: names(confirmed) }),
      recomputed !== undefined &&
        t('events.said.recomputed', {
          titles: recomputed
            .map((rule) => known.ruleTitle?.(rule) ?? rule)
            .join(t('caseLabels.next.comma')),
        }),
      riskBefore !== riskAfter &&
        t('events.said.riskChanged', { before: riskBefore, after: riskAfter }),
    ].filter((part) => part !== false);
    return parts.length === 0 ? null : parts.join(t('events.said.and'));
  },
  'line_items.corrected': (body, { t, language }) => {
    const sum = (amount?: string) =>
      amount ? `${groupedAmount(amount, language)} ${body.currency}` : '–';
    return t('events.said.lines', {
      before: body.itemsBefore,
      after: body.itemsAfter,
      sumBefore: sum(body.sumBefore),
      sumAfter: sum(body.sumAfter),
    });
  },
  'stage.started': (body, { t }) => t('events.said.started', { stage: stageName(t, body) }),
  'stage.completed': (body, { t, known }) => {
    const { pages, fields, findings, blocking, risk } = body.summary ?? {};
    const parts = [
      pages !== undefined && t('events.said.pages', { count: pages }),
      fields !== undefined && t('events.said.fields', { count: fields }),
      findings !== undefined &&
        (body.behaviour === 'assess' && known.earlierFindings === undefined
          ? t('events.said.newFindingsOnly', { count: findings })
          : findingsText(t, findings, known.earlierFindings ?? 0)),
      blocking !== undefined && blocking > 0 && t('events.said.blocking', { count: blocking }),
      risk !== undefined && t('events.said.risk', { risk }),
    ].filter((part) => part !== false);
    const stage = stageName(t, body);
    if (parts.length === 0) return t('events.said.completed', { stage });
    return t('events.said.completedWith', { stage, parts: parts.join(t('caseLabels.next.comma')) });
  },
  'stage.retrying': (body, context) =>
    context.t('events.said.retrying', { attempt: body.attempt, why: failure(context, body) }),
  'stage.failed': (body, context) =>
    context.t('events.said.failed', { why: failure(context, body) }),
  'timer.started': (body, { t, language }) =>
    t('events.said.waits', { due: dateTimeText(body.due, language) }),
  'saga.step_done': (body, { t }) => t('events.said.callCompleted', { name: body.name }),
  'saga.step_failed': (body, context) =>
    context.t('events.said.callFailed', { name: body.name, why: failure(context, body) }),
  'saga.step_skipped': (body, { t }) => t('events.said.callSkipped', { name: body.name }),
  'saga.compensated': (body, { t }) => t('events.said.callReversed', { name: body.name }),
  'incident.opened': (body, context) =>
    context.t('events.said.incident', { why: failure(context, body) }),
  'incident.resolved': (body, { t }) =>
    t('events.said.answered', { how: valueLabel(t, 'how', body.how) }),
  'review.opened': (body, context) => {
    const { t } = context;
    if (!body.reason) return t('events.said.opened', { queue: queueLabel(t, body.queue) });
    return t('events.said.openedBecause', {
      queue: queueLabel(t, body.queue),
      reason: valueLabel(t, 'why', body.reason),
    });
  },
  'review.claimed': (_body, { t, name }) => {
    const assignee = name('assignee');
    return assignee ? t('events.said.claimed', { name: assignee }) : null;
  },
  'review.released': (body, { t, name }) => {
    const reason = valueLabel(t, 'why', body.reason);
    const holder = name('formerAssignee');
    if (!holder) return t('events.said.released', { reason });
    return body.reason === 'released'
      ? t('events.said.releasedByHolder', { name: holder })
      : t('events.said.releasedBy', { name: holder, reason });
  },
  'review.reassigned': (body, context) => {
    const [to, from] = [context.name('to'), context.name('from')];
    if (!to) return withReason(context, context.t('eventTypes.review.reassigned'), body.reason);
    const plain = from
      ? context.t('events.said.reassignedFrom', { to, from })
      : context.t('events.said.reassigned', { to });
    return withReason(context, plain, body.reason);
  },
  'review.drawn': (body, context) => {
    const person = context.name('person');
    const values = { count: body.candidates, attempt: body.attempt };
    const plain = person
      ? context.t('events.said.drawn', { ...values, name: person })
      : context.t('events.said.drawnUnnamed', values);
    return withReason(context, plain, body.reason);
  },
  'review.draw_required': (_body, { t, name }) => {
    const holder = name('formerAssignee');
    return holder
      ? t('events.said.drawRequiredOf', { name: holder })
      : t('events.said.drawRequired');
  },
  'review.at_risk': (body, { t, language }) =>
    t('events.said.atRisk', { due: dateTimeText(body.due, language) }),
  'review.reminded': (body, { t, language }) =>
    t(body.deadline === 'claim_by' ? 'events.said.remindedClaim' : 'events.said.reminded', {
      due: dateTimeText(body.due, language),
    }),
  'review.overdue': (body, { t, language }) =>
    t(body.deadline === 'claim_by' ? 'events.said.overdueClaim' : 'events.said.overdue', {
      due: dateTimeText(body.due, language),
    }),
  'review.decided': (body, context) =>
    withReason(
      context,
      withUnchecked(
        context,
        context.t(body.signature ? 'events.said.decidedSigned' : 'events.said.decided', {
          verdict: valueLabel(context.t, 'verdict', body.verdict),
        }),
        'unchecked' in body ? body.unchecked : undefined,
      ),
      body.reason,
    ),
  'finding.overridden': (body, context) =>
    withReason(
      context,
      typeof body.rule === 'string'
        ? context.t('events.said.overridden', {
            rule: context.known.ruleTitle?.(body.rule) ?? body.rule.replaceAll('_', ' '),
          })
        : context.t('eventTypes.finding.overridden'),
      body.reason,
    ),
  'review.cancelled': (body, { t }) =>
    t('events.said.cancelled', { reason: valueLabel(t, 'why', body.reason) }),
  'route.reevaluated': (body, { t }) => {
    const codes = 'cause' in body ? [body.cause] : (body.causes ?? []);
    // The cause "several" of events of earlier versions says nothing.
    const causes = codes
      .filter((code) => code !== 'several')
      .map((code) => valueLabel(t, 'cause', code));
    if (causes.length === 0) return null;
    const comma = t('caseLabels.next.comma');
    const cases = 'cases' in body ? (body.cases ?? []) : [];
    return cases.length > 0
      ? t('events.said.reevaluatedWith', { causes: causes.join(comma), cases: cases.join(comma) })
      : t('events.said.reevaluated', { causes: causes.join(comma) });
  },
  'duplicate.cleared': (body, { t }) => t('events.said.duplicateCleared', { reason: body.reason }),
  'vote.disclosed': (body, context) =>
    withReason(
      context,
      withUnchecked(
        context,
        context.t(body.revoked ? 'events.said.disclosedRevoked' : 'events.said.disclosed', {
          name: context.name('person') ?? '…',
          verdict: valueLabel(context.t, 'verdict', body.verdict),
        }),
        body.unchecked,
      ),
      body.reason,
    ),
  'vote.fell': (body, { t, name }) => {
    const why = valueLabel(t, 'why', body.why);
    const person = name('person');
    return person ? t('events.said.fellOf', { name: person, why }) : t('events.said.fell', { why });
  },
  'definition.published': (body, { t }) =>
    t('events.said.definition', { key: body.key, version: body.definitionVersion }),
  'policy.published': (body, { t }) => t('events.said.policy', { version: body.policyVersion }),
};

/** The message of an event. */
export function eventMessage(
  t: Translate,
  language: string,
  event: LoggedEvent,
  known: KnownOfCase = {},
): string {
  if (!isKnownEvent(event.type)) return event.sentence || t('events.unknown');
  const plain = t(`eventTypes.${event.type}`);
  if (event.body === null || event.body === undefined) return plain;
  const name = (property: string) =>
    event.people?.find((one) => one.property === property)?.person.name ?? null;
  // The table pairs each type with its body, which TypeScript cannot infer here.
  const build = messageBuilders[event.type] as
    | ((body: unknown, context: MessageContext) => string | null)
    | undefined;
  return build?.(event.body, { t, language, name, known }) ?? plain;
}
