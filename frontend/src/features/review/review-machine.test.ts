import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { type ReviewEvent, reviewMachine } from './review-machine';
import { differences, type ServerState } from './review-values';

const parts = {
  document: '1',
  findings: '',
  explanations: '',
  amount: '',
  order: '',
  grounds: '',
  lines: '',
};
const values = { vendor: 'Nordlicht GmbH', total: '1190.00', due_date: '' };

function state(changes: Partial<ServerState> = {}): ServerState {
  return {
    version: '1.1',
    viewerStatus: 'open',
    holder: null,
    values,
    parts,
    ...changes,
  };
}

const mine = (more: Partial<ServerState> = {}) => state({ viewerStatus: 'mine', ...more });
const theirs = { ...values, vendor: 'Nordlicht AG' };

/** Every event once, in its simplest form. */
const allEvents: ReviewEvent[] = [
  { type: 'SERVER_STATE', serverState: mine() },
  { type: 'CLAIM' },
  { type: 'RELEASE' },
  { type: 'TYPE', name: 'vendor', value: 'x' },
  { type: 'UNDO', name: 'vendor' },
  { type: 'WRITE_REASON', text: 'x' },
  { type: 'WRITE_LINES', text: 'x' },
  { type: 'RESTORE', typed: {}, reason: '', lines: '' },
  { type: 'SAVE' },
  { type: 'CONFIRM_VALUES', names: ['total'] },
  { type: 'STATE' },
  { type: 'CONFIRM' },
  { type: 'CANCEL' },
  { type: 'CHOOSE_VERDICT', verdict: 'APPROVE' },
  { type: 'DECIDE' },
  { type: 'PASS_ON' },
  { type: 'KEEP_MINE', name: 'vendor' },
  { type: 'TAKE_THEIRS', name: 'vendor' },
  { type: 'ACKNOWLEDGE' },
  { type: 'DONE', serverState: mine() },
  { type: 'CONFIRMATION_NEEDED', refusals: [] },
  { type: 'STALE' },
  { type: 'WITHDRAWN' },
  { type: 'LOST', holder: null },
  { type: 'GONE', holder: null },
  { type: 'REFUSED', refusals: [] },
  { type: 'FAILED', failure: { code: 'Network', message: '' } },
  { type: 'CONNECTED' },
];

const type: ReviewEvent = { type: 'TYPE', name: 'vendor', value: 'Nordlicht KG' };
const chooseApprove: ReviewEvent = { type: 'CHOOSE_VERDICT', verdict: 'APPROVE' };
const warned: ReviewEvent = { type: 'CONFIRMATION_NEEDED', refusals: [] };
const changed: ReviewEvent = {
  type: 'SERVER_STATE',
  serverState: mine({ version: '1.2', values: theirs }),
};
const lostToOther: ReviewEvent = {
  type: 'SERVER_STATE',
  serverState: state({ version: '2.2', viewerStatus: 'others', holder: 'Jun Park' }),
};

function play(first: ServerState, ...events: ReviewEvent[]) {
  const actor = createActor(reviewMachine, { input: { serverState: first } }).start();
  for (const event of events) actor.send(event);
  return actor;
}

const typing = ['TYPE', 'UNDO', 'WRITE_REASON', 'RESTORE'];
const answers = ['STALE', 'LOST', 'REFUSED', 'FAILED', 'DONE'];

/** The events that lead to each state, and the events it permits; all others are forbidden. */
const table: [state: string | object, first: ServerState, way: ReviewEvent[], can: string[]][] = [
  ['viewing', state(), [], ['SERVER_STATE', 'CLAIM']],
  ['viewing', state({ viewerStatus: 'others', holder: 'Jun Park' }), [], ['SERVER_STATE']],
  ['claiming', state(), [{ type: 'CLAIM' }], ['SERVER_STATE', ...answers]],
  [
    { mine: 'idle' },
    mine(),
    [],
    ['SERVER_STATE', 'GONE', ...typing, 'CHOOSE_VERDICT', 'CONFIRM_VALUES', 'STATE', 'RELEASE'],
  ],
  [
    'saving',
    mine(),
    [{ type: 'CONFIRM_VALUES', names: ['total'] }],
    ['SERVER_STATE', ...typing, ...answers, 'CONFIRMATION_NEEDED'],
  ],
  [{ mine: 'editing' }, mine(), [type], ['SERVER_STATE', 'GONE', ...typing, 'SAVE', 'RELEASE']],
  [
    'saving',
    mine(),
    [type, { type: 'SAVE' }],
    ['SERVER_STATE', ...typing, ...answers, 'CONFIRMATION_NEEDED'],
  ],
  [
    { mine: 'confirmingSave' },
    mine(),
    [type, { type: 'SAVE' }, warned],
    ['SERVER_STATE', 'GONE', 'CONFIRM', 'CANCEL'],
  ],
  [
    { mine: 'confirmingDecision' },
    mine(),
    [chooseApprove],
    ['SERVER_STATE', 'GONE', 'WRITE_REASON', 'DECIDE', 'PASS_ON', 'CANCEL'],
  ],
  ['deciding', mine(), [chooseApprove, { type: 'DECIDE' }], ['SERVER_STATE', ...answers]],
  ['passingOn', mine(), [chooseApprove, { type: 'PASS_ON' }], ['SERVER_STATE', ...answers]],
  ['releasing', mine(), [{ type: 'RELEASE' }], ['SERVER_STATE', ...answers]],
  [
    { mine: 'conflict' },
    mine(),
    [type, changed],
    ['SERVER_STATE', 'GONE', 'WRITE_REASON', 'KEEP_MINE', 'TAKE_THEIRS', 'RELEASE'],
  ],
  [
    { mine: 'conflict' },
    mine(),
    [changed],
    ['SERVER_STATE', 'GONE', 'WRITE_REASON', 'ACKNOWLEDGE', 'RELEASE'],
  ],
  ['lost', mine(), [type, lostToOther], ['SERVER_STATE']],
  [
    'lost',
    mine(),
    [type, { type: 'SERVER_STATE', serverState: state() }],
    ['SERVER_STATE', 'CLAIM'],
  ],
  ['done', state({ viewerStatus: 'decided' }), [], ['SERVER_STATE']],
  ['closed', state({ viewerStatus: 'cancelled' }), [], ['SERVER_STATE']],
];

describe('the permitted events of each state', () => {
  it.each(table)('%j', (state, first, events, can) => {
    const snapshot = play(first, ...events).getSnapshot();
    expect(snapshot.value).toEqual(state);
    const allowed = allEvents.filter((event) => snapshot.can(event)).map((event) => event.type);
    // In every state the connection can come back, the form of line items stays open, and the server can
    // withdraw the review.
    expect(allowed.sort()).toEqual([...can, 'CONNECTED', 'WITHDRAWN', 'WRITE_LINES'].sort());
  });

  it('covers every event of the machine', () => {
    const known = [...new Set(reviewMachine.events)];
    expect(allEvents.map((event) => event.type).sort()).toEqual(known.sort());
  });
});

describe('an undo by another person', () => {
  const decided = state({ version: '3.1', viewerStatus: 'decided' });
  const serverState = (version: string, more: Partial<ServerState> = {}): ReviewEvent => ({
    type: 'SERVER_STATE',
    serverState: state({ version, ...more }),
  });
  it('opens the review again', () => {
    expect(play(decided, serverState('4.1')).getSnapshot().value).toBe('viewing');
    const again = play(
      mine(),
      { type: 'WRITE_REASON', text: 'old' },
      chooseApprove,
      { type: 'DECIDE' },
      { type: 'DONE', serverState: decided },
      serverState('4.1', { viewerStatus: 'mine' }),
    ).getSnapshot();
    expect(again.value).toEqual({ mine: 'idle' });
    expect(again.context).toMatchObject({ outcome: null, verdict: null, reason: '' });
    const closed = state({ version: '3.1', viewerStatus: 'cancelled' });
    expect(play(closed, serverState('4.1')).getSnapshot().value).toBe('viewing');
  });
  it('is not seen in an older state, and a decision stays one', () => {
    expect(play(decided, serverState('2.1')).getSnapshot().value).toBe('done');
    const decidedAgain = serverState('4.1', { viewerStatus: 'decided' });
    expect(play(decided, decidedAgain).getSnapshot().value).toBe('done');
  });
});

describe('transitions', () => {
  const now = (first: ServerState, ...events: ReviewEvent[]) =>
    play(first, ...events).getSnapshot();
  const failed: ReviewEvent = { type: 'FAILED', failure: { code: 'Network', message: '' } };
  const refused: ReviewEvent = {
    type: 'REFUSED',
    refusals: [{ code: 'ApprovalLimitExceeded', message: 'Too much.' }],
  };

  it('claims, corrects, approves', () => {
    const saved = { ...values, vendor: 'Nordlicht KG' };
    const actor = play(state(), { type: 'CLAIM' }, { type: 'DONE', serverState: mine() }, type, {
      type: 'SAVE',
    });
    actor.send({ type: 'DONE', serverState: mine({ version: '1.2', values: saved }) });
    expect(actor.getSnapshot().value).toEqual({ mine: 'idle' });
    expect(actor.getSnapshot().context).toMatchObject({ typed: {}, reviewedValues: saved });
    actor.send(chooseApprove);
    actor.send({ type: 'DECIDE' });
    actor.send({
      type: 'DONE',
      serverState: state({ viewerStatus: 'decided', version: '2.2', values: saved }),
    });
    expect(actor.getSnapshot()).toMatchObject({ value: 'done', context: { outcome: 'decided' } });
  });

  it('ignores a reading from before the saved correction', () => {
    const saved = { ...values, vendor: 'Nordlicht KG' };
    const actor = play(mine({ version: '1.9' }), type, { type: 'SAVE' });
    actor.send({ type: 'DONE', serverState: mine({ version: '1.10', values: saved }) });
    actor.send({ type: 'SERVER_STATE', serverState: mine({ version: '1.9' }) });
    expect(actor.getSnapshot().value).toEqual({ mine: 'idle' });
    expect(actor.getSnapshot().context.serverState).toMatchObject({
      version: '1.10',
      values: saved,
    });
  });

  it('needs a reason for all but an approval', () => {
    for (const verdict of ['REJECT', 'RETURN', 'ESCALATE'] as const) {
      expect(now(mine()).can({ type: 'CHOOSE_VERDICT', verdict })).toBe(false);
      expect(
        now(mine(), { type: 'WRITE_REASON', text: ' ' }).can({ type: 'CHOOSE_VERDICT', verdict }),
      ).toBe(false);
      expect(
        now(mine(), { type: 'WRITE_REASON', text: 'No order.' }).can({
          type: 'CHOOSE_VERDICT',
          verdict,
        }),
      ).toBe(true);
    }
    const emptied = now(
      mine(),
      { type: 'WRITE_REASON', text: 'x' },
      { type: 'CHOOSE_VERDICT', verdict: 'REJECT' },
      { type: 'WRITE_REASON', text: '' },
    );
    expect(emptied.can({ type: 'DECIDE' })).toBe(false);
  });

  it('does not decide with unsaved values', () => {
    expect(now(mine(), type).can(chooseApprove)).toBe(false);
    expect(now(mine(), type, { type: 'UNDO', name: 'vendor' }).can(chooseApprove)).toBe(true);
    expect(
      now(mine(), type, { type: 'TYPE', name: 'vendor', value: values.vendor }).can(chooseApprove),
    ).toBe(true);
  });

  it('stores the refusal of a lost race for the claim', () => {
    const lost = now(
      state(),
      { type: 'CLAIM' },
      { type: 'REFUSED', refusals: [{ code: 'AlreadyClaimed', message: 'Jun Park …' }] },
    );
    expect(lost).toMatchObject({
      value: 'viewing',
      context: { refusals: [{ code: 'AlreadyClaimed' }] },
    });
  });

  it('keeps the input when a save is refused or fails', () => {
    for (const answer of [failed, refused]) {
      const after = now(mine(), type, { type: 'SAVE' }, answer);
      expect(after).toMatchObject({
        value: { mine: 'editing' },
        context: { typed: { vendor: { value: 'Nordlicht KG' } } },
      });
      expect(after.can({ type: 'SAVE' })).toBe(true);
    }
    expect(now(mine(), chooseApprove, { type: 'DECIDE' }, refused)).toMatchObject({
      value: { mine: 'idle' },
      context: { refusals: [{}] },
    });
    expect(now(mine(), chooseApprove, { type: 'DECIDE' }, failed)).toMatchObject({
      context: { failure: { code: 'Network' } },
    });
    expect(now(mine(), { type: 'RELEASE' }, failed).value).toEqual({ mine: 'idle' });
  });

  it('takes over a saved value that the server writes in another way', () => {
    const country: ReviewEvent = { type: 'TYPE', name: 'vendor', value: 'Germany' };
    const saved = mine({ version: '1.2', values: { ...values, vendor: 'DE' } });
    const done: ReviewEvent = { type: 'DONE', serverState: saved };
    const after = now(mine(), country, { type: 'SAVE' }, done);
    expect(after).toMatchObject({ value: { mine: 'idle' }, context: { typed: {} } });
    const confirmed = now(mine(), country, { type: 'SAVE' }, warned, { type: 'CONFIRM' }, done);
    expect(confirmed).toMatchObject({ value: { mine: 'idle' }, context: { typed: {} } });
    // What was typed over it during the save stays, and so does what another command did not send.
    const later: ReviewEvent = { type: 'TYPE', name: 'vendor', value: 'France' };
    for (const way of [
      [country, { type: 'SAVE' } as const, later],
      [{ type: 'STATE' } as const, later],
    ])
      expect(now(mine(), ...way, done).context.typed).toEqual({
        vendor: { value: 'France', base: 'DE' },
      });
  });

  it('keeps input typed during a save', () => {
    const later: ReviewEvent = { type: 'TYPE', name: 'due_date', value: '2026-12-01' };
    const saved = mine({ version: '1.2', values: { ...values, vendor: 'Nordlicht KG' } });
    const after = now(
      mine(),
      type,
      { type: 'SAVE' },
      later,
      { type: 'SERVER_STATE', serverState: saved },
      { type: 'DONE', serverState: saved },
    );
    expect(after).toMatchObject({
      value: { mine: 'editing' },
      context: { typed: { due_date: { value: '2026-12-01', base: '' } } },
    });
    expect(Object.keys(after.context.typed)).toEqual(['due_date']);
  });

  it('confirms an amount of the user’s own, and hands the review on', () => {
    const warnedOf: ReviewEvent[] = [type, { type: 'SAVE' }, warned];
    expect(now(mine(), ...warnedOf, { type: 'CANCEL' }).value).toEqual({ mine: 'editing' });
    const confirmed = now(mine(), ...warnedOf, { type: 'CONFIRM' });
    expect(confirmed).toMatchObject({ value: 'saving', context: { confirmed: true } });
    const after = now(
      mine(),
      ...warnedOf,
      { type: 'CONFIRM' },
      { type: 'DONE', serverState: state() },
    );
    expect(after).toMatchObject({ value: 'done', context: { outcome: 'reassigned' } });
    expect(now(mine(), ...warnedOf, { type: 'CONFIRM' }, failed).context.confirmed).toBe(false);
    // A draft being saved can report the lost claim before the save's own response arrives.
    const lostToOther: ReviewEvent[] = [
      { type: 'CONFIRM' },
      { type: 'GONE', holder: null },
      { type: 'DONE', serverState: state() },
    ];
    expect(now(mine(), ...warnedOf, ...lostToOther)).toMatchObject({
      value: 'done',
      context: { outcome: 'reassigned' },
    });
  });

  it('releases the review', () => {
    expect(now(mine(), { type: 'RELEASE' }, { type: 'DONE', serverState: state() }).value).toBe(
      'viewing',
    );
    expect(
      now(mine(), type, { type: 'RELEASE' }, { type: 'DONE', serverState: state() }).can({
        type: 'CLAIM',
      }),
    ).toBe(true);
  });

  it('restores a draft except saved values, below newer input', () => {
    const typed = {
      vendor: { value: 'Draft', base: values.vendor },
      total: { value: '1190.00', base: '7.00' },
    };
    const after = now(mine(), { type: 'RESTORE', typed, reason: 'because', lines: '[]' });
    expect(after).toMatchObject({
      value: { mine: 'editing' },
      context: { reason: 'because', lines: '[]' },
    });
    expect(after.context.typed).toEqual({ vendor: typed.vendor });
    expect(
      now(mine(), type, { type: 'RESTORE', typed, reason: '', lines: '' }).context.typed.vendor
        ?.value,
    ).toBe('Nordlicht KG');
  });

  it('ends from every state when the review is decided or cancelled', () => {
    for (const events of [
      [],
      [type],
      [chooseApprove],
      [type, { type: 'SAVE' }, warned],
      [type, changed],
    ] as ReviewEvent[][]) {
      expect(
        now(mine(), ...events, {
          type: 'SERVER_STATE',
          serverState: state({ viewerStatus: 'decided', version: '2.2' }),
        }).value,
      ).toBe('done');
      expect(
        now(mine(), ...events, {
          type: 'SERVER_STATE',
          serverState: state({ viewerStatus: 'cancelled', version: '2.2' }),
        }).value,
      ).toBe('closed');
      expect(now(mine(), ...events, lostToOther).value).toBe('lost');
    }
    const late: ReviewEvent = {
      type: 'SERVER_STATE',
      serverState: state({ viewerStatus: 'decided', version: '2.2' }),
    };
    expect(now(mine(), chooseApprove, { type: 'DECIDE' }, late, refused).value).toBe('done');
    expect(now(state(), { type: 'CLAIM' }, late, refused).value).toBe('done');
  });
});

describe('a lost claim', () => {
  it('keeps the input through losing and claiming again', () => {
    const actor = play(mine(), type, { type: 'SAVE' }, { type: 'LOST', holder: 'Jun Park' });
    expect(actor.getSnapshot()).toMatchObject({
      value: 'lost',
      context: { serverState: { holder: 'Jun Park' }, typed: { vendor: {} } },
    });
    expect(actor.getSnapshot().can({ type: 'CLAIM' })).toBe(false);
    actor.send({ type: 'SERVER_STATE', serverState: state({ version: '3.1' }) });
    actor.send({ type: 'CLAIM' });
    actor.send({ type: 'DONE', serverState: mine({ version: '4.1' }) });
    expect(actor.getSnapshot().value).toEqual({ mine: 'editing' });
  });

  it('returns to lost when the claim is refused', () => {
    const answer: ReviewEvent = { type: 'REFUSED', refusals: [] };
    const actor = play(mine(), type, { type: 'GONE', holder: null }, { type: 'CLAIM' }, answer);
    expect(actor.getSnapshot().value).toBe('lost');
  });

  it('shows the changes of another user', () => {
    const actor = play(
      mine(),
      type,
      lostToOther,
      { type: 'SERVER_STATE', serverState: state({ version: '3.2', values: theirs }) },
      { type: 'CLAIM' },
    );
    actor.send({ type: 'DONE', serverState: mine({ version: '4.2', values: theirs }) });
    expect(actor.getSnapshot().value).toEqual({ mine: 'conflict' });
  });
});

describe('conflicting values', () => {
  const context = (...events: ReviewEvent[]) => play(mine(), ...events).getSnapshot().context;

  it('shows mine, the previous value and theirs', () => {
    expect(differences(context(type, changed))).toEqual([
      { name: 'vendor', mine: 'Nordlicht KG', before: 'Nordlicht GmbH', theirs: 'Nordlicht AG' },
    ]);
    expect(differences(context(changed))).toEqual([
      { name: 'vendor', mine: null, before: 'Nordlicht GmbH', theirs: 'Nordlicht AG' },
    ]);
  });

  it('keeps mine based on theirs, ready to save', () => {
    const actor = play(mine(), type, changed, { type: 'KEEP_MINE', name: 'vendor' });
    expect(actor.getSnapshot()).toMatchObject({
      value: { mine: 'editing' },
      context: { typed: { vendor: { base: 'Nordlicht AG' } } },
    });
    expect(actor.getSnapshot().can({ type: 'SAVE' })).toBe(true);
  });

  it('takes theirs and drops the input', () => {
    const actor = play(mine(), type, changed, { type: 'TAKE_THEIRS', name: 'vendor' });
    expect(actor.getSnapshot()).toMatchObject({
      value: { mine: 'idle' },
      context: { typed: {} },
    });
  });

  it('ends when both values are equal', () => {
    const same = mine({ version: '1.2', values: { ...values, vendor: 'Nordlicht KG' } });
    expect(
      play(mine(), type, { type: 'SERVER_STATE', serverState: same }).getSnapshot().value,
    ).toEqual({
      mine: 'conflict',
    });
    const after = play(
      mine(),
      type,
      { type: 'SERVER_STATE', serverState: same },
      { type: 'ACKNOWLEDGE' },
    ).getSnapshot();
    expect(after).toMatchObject({ value: { mine: 'idle' }, context: { typed: {} } });
  });

  it('resolves each field separately, then the rest together', () => {
    const both = mine({ version: '1.3', values: { ...theirs, due_date: '2026-12-24' } });
    const actor = play(mine(), type, { type: 'SERVER_STATE', serverState: both });
    expect(actor.getSnapshot().can({ type: 'ACKNOWLEDGE' })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'KEEP_MINE', name: 'due_date' })).toBe(false);
    actor.send({ type: 'KEEP_MINE', name: 'vendor' });
    expect(actor.getSnapshot().value).toEqual({ mine: 'conflict' });
    actor.send({ type: 'ACKNOWLEDGE' });
    expect(actor.getSnapshot().value).toEqual({ mine: 'editing' });
  });

  it('waits for the server state after a stale command', () => {
    const actor = play(mine(), chooseApprove, { type: 'DECIDE' }, { type: 'STALE' });
    expect(actor.getSnapshot().value).toEqual({ mine: 'conflict' });
    expect(actor.getSnapshot().can({ type: 'ACKNOWLEDGE' })).toBe(false);
    actor.send(changed);
    expect(actor.getSnapshot().can({ type: 'ACKNOWLEDGE' })).toBe(true);
    actor.send({ type: 'ACKNOWLEDGE' });
    expect(actor.getSnapshot()).toMatchObject({
      value: { mine: 'idle' },
      context: { serverState: { version: '1.2' } },
    });
    expect(actor.getSnapshot().can(chooseApprove)).toBe(true);
  });

  it('reports a change that no field shows', () => {
    const actor = play(
      mine(),
      chooseApprove,
      { type: 'DECIDE' },
      { type: 'STALE' },
      { type: 'SERVER_STATE', serverState: mine({ version: '5.1' }) },
    );
    expect(actor.getSnapshot()).toMatchObject({
      value: { mine: 'idle' },
      context: { moved: [] },
    });
  });

  it('names the parts that have changed after a stale command', () => {
    const serverState = mine({ version: '1.2', parts: { ...parts, lines: 'other' } });
    const actor = play(
      mine(),
      chooseApprove,
      { type: 'DECIDE' },
      { type: 'STALE' },
      { type: 'SERVER_STATE', serverState },
    );
    expect(actor.getSnapshot()).toMatchObject({
      value: { mine: 'idle' },
      context: { moved: ['lines'] },
    });
  });

  it('names them also if the present state came before the refusal', () => {
    const serverState = mine({ version: '1.2', parts: { ...parts, lines: 'other' } });
    const read: ReviewEvent = { type: 'SERVER_STATE', serverState };
    const actor = play(mine(), chooseApprove, { type: 'DECIDE' }, read, { type: 'STALE' }, read);
    expect(actor.getSnapshot().context.moved).toEqual(['lines']);
  });

  it('waits for the present state although the refused one arrives again', () => {
    const stale: ReviewEvent = { type: 'STALE', version: '1.1' };
    const again: ReviewEvent = { type: 'SERVER_STATE', serverState: mine() };
    const actor = play(mine(), chooseApprove, { type: 'DECIDE' }, stale, again);
    expect(actor.getSnapshot()).toMatchObject({
      value: { mine: 'conflict' },
      context: { awaiting: true, moved: null },
    });
    const serverState = mine({ version: '1.2', parts: { ...parts, lines: 'other' } });
    actor.send({ type: 'SERVER_STATE', serverState });
    expect(actor.getSnapshot().context.moved).toEqual(['lines']);
  });

  it('sends no decision before the user has acknowledged what changed while it was asked', () => {
    const first = mine({ version: '1.2', parts: { ...parts, findings: 'another' } });
    const second = mine({ version: '1.3', parts: { ...first.parts, lines: 'other' } });
    const actor = play(
      mine(),
      chooseApprove,
      { type: 'SERVER_STATE', serverState: first },
      { type: 'SERVER_STATE', serverState: second },
    );
    expect(actor.getSnapshot()).toMatchObject({
      value: { mine: 'confirmingDecision' },
      context: { moved: ['findings', 'lines'] },
    });
    expect(actor.getSnapshot().can({ type: 'DECIDE' })).toBe(false);
    expect(actor.getSnapshot().can({ type: 'PASS_ON' })).toBe(false);
    actor.send({ type: 'ACKNOWLEDGE' });
    expect(actor.getSnapshot().can({ type: 'DECIDE' })).toBe(true);
  });

  it('asks again for nothing if only the deadline of the review has changed', () => {
    const later: ReviewEvent = { type: 'SERVER_STATE', serverState: mine({ version: '2.1' }) };
    const actor = play(mine(), chooseApprove, later);
    expect(actor.getSnapshot().context.moved).toBeNull();
    expect(actor.getSnapshot().can({ type: 'DECIDE' })).toBe(true);
  });

  it('shows what was typed once the user may no longer read the review', () => {
    const reason: ReviewEvent = { type: 'WRITE_REASON', text: 'The order exists.' };
    const actor = play(mine(), type, reason, { type: 'WITHDRAWN' });
    expect(actor.getSnapshot()).toMatchObject({
      value: 'closed',
      context: {
        withdrawn: true,
        serverState: { viewerStatus: 'cancelled' },
        unsent: { reason: 'The order exists.', typed: { vendor: { value: 'Nordlicht KG' } } },
      },
    });
    actor.send({ type: 'SERVER_STATE', serverState: mine() });
    expect(actor.getSnapshot().value).toBe('closed');
  });

  it('does not show a reason as unsent after the decision with it', () => {
    const reason: ReviewEvent = { type: 'WRITE_REASON', text: 'The order exists.' };
    const decided = state({ viewerStatus: 'decided' });
    const sent = [
      chooseApprove,
      { type: 'DECIDE' },
      { type: 'DONE', serverState: decided },
    ] as const;
    expect(play(mine(), reason, ...sent).getSnapshot().context.unsent).toBeNull();
    const elsewhere: ReviewEvent = { type: 'SERVER_STATE', serverState: decided };
    expect(play(mine(), reason, elsewhere).getSnapshot().context.unsent).not.toBeNull();
  });

  it('closes the decision dialog when the values change', () => {
    expect(play(mine(), chooseApprove, changed).getSnapshot().value).toEqual({ mine: 'conflict' });
  });

  it('shows the stored values once it is decided elsewhere', () => {
    const decided: ReviewEvent = {
      type: 'SERVER_STATE',
      serverState: state({ viewerStatus: 'decided' }),
    };
    const after = play(mine(), type, decided).getSnapshot();
    expect(after).toMatchObject({ value: 'done', context: { typed: {} } });
  });

  it('shows no failure of the connection once it is back, and keeps what was typed', () => {
    const failed: ReviewEvent = { type: 'FAILED', failure: { code: 'Network', message: '' } };
    const before = play(mine(), type, { type: 'SAVE' }, failed);
    expect(before.getSnapshot().context.failure).not.toBeNull();
    before.send({ type: 'CONNECTED' });
    expect(before.getSnapshot().context.failure).toBeNull();
    expect(before.getSnapshot().context.typed.vendor?.value).toBe('Nordlicht KG');
    expect(before.getSnapshot().can({ type: 'SAVE' })).toBe(true);
  });
});
