import { describe, expect, it } from 'vitest';
import {
  callOutcome,
  costText,
  durationText,
  failureOfRun,
  imageKind,
  isErased,
  type ModelRun,
  modelEntries,
  pageRanges,
  readableJSON,
} from './model-runs';

function run(at: string, more: Partial<ModelRun> = {}): ModelRun {
  return {
    at,
    model: 'stub',
    documentRevision: 1,
    outcome: 'ANSWERED',
    errorCode: '',
    error: '',
    calls: [{ status: 200, outcome: 'answered', ms: '12' }],
    inputTokens: '300',
    outputTokens: '20',
    costMicros: '760',
    currency: 'USD',
    tookMs: '12',
    promptHash: 'ab',
    prompt: 'a prompt',
    answer: '{}',
    pages: 1,
    removed: 0,
    imageCount: 0,
    images: [],
    omittedImages: [],
    ...more,
  };
}

const completed = (at: string, model?: unknown) => ({
  type: 'stage.completed',
  at,
  body: { summary: model === undefined ? {} : { model } },
});

describe('what was asked of language models', () => {
  it('has runs and steps without a request, oldest first', () => {
    const entries = modelEntries(
      [run('2026-11-20T10:00:00Z'), run('2026-11-20T12:00:00Z')],
      [
        completed('2026-11-20T11:00:00Z', { outcome: 'budget', freesAt: '2026-11-20T12:00:00Z' }),
        completed('2026-11-20T13:00:00Z', { outcome: 'off' }),
      ],
    );
    expect(entries.map((one) => (one.kind === 'run' ? one.run.model : one.outcome))).toEqual([
      'stub',
      'budget',
      'stub',
      'off',
    ]);
    expect(entries[1]).toMatchObject({ freesAt: '2026-11-20T12:00:00Z' });
    expect(entries[3]).toMatchObject({ freesAt: null });
  });

  it('shows a run once, and ignores other events, unknown outcomes and erased bodies', () => {
    const events = [
      completed('2026-11-20T10:00:00Z', { outcome: 'answered' }),
      completed('2026-11-20T10:00:00Z', { outcome: 'failed' }),
      completed('2026-11-20T10:00:00Z', { outcome: 'other' }),
      completed('2026-11-20T10:00:00Z'),
      { type: 'stage.completed', at: '2026-11-20T10:00:00Z', body: null },
      {
        type: 'stage.started',
        at: '2026-11-20T10:00:00Z',
        body: { summary: { model: { outcome: 'off' } } },
      },
    ];
    expect(modelEntries([run('2026-11-20T10:00:00Z')], events)).toHaveLength(1);
  });
});

describe('a run', () => {
  it('failed for the reason of its last call', () => {
    const call = (outcome: string) => ({ status: 0, outcome, ms: '1' });
    expect(failureOfRun(run('', { calls: [call('rate_limited'), call('timeout')] }))).toBe(
      'timeout',
    );
    expect(failureOfRun(run('', { calls: [] }))).toBe('none');
    expect(failureOfRun(run('', { calls: [call('answered')] }))).toBeNull();
    expect(callOutcome(call('new'))).toBeNull();
  });

  it('is erased without a prompt and its hash', () => {
    expect(isErased(run(''))).toBe(false);
    expect(isErased(run('', { prompt: '', promptHash: '' }))).toBe(true);
  });
});

describe('pages of images', () => {
  it('are ranges in order', () => {
    expect(pageRanges([])).toBe('');
    expect(pageRanges([4])).toBe('4');
    expect(pageRanges([2, 1, 5, 6, 7, 9])).toBe('1–2, 5–7, 9');
  });

  it('have the usual names of their kinds', () => {
    expect([imageKind('image/png'), imageKind('image/jpeg')]).toEqual(['PNG', 'JPEG']);
  });
});

describe('figures', () => {
  it('are exact', () => {
    expect(costText('760', 'USD', 'en')).toBe('USD\u00a00.00076');
    expect(costText('2500000', 'USD', 'en')).toBe('USD\u00a02.50');
    expect(costText('1', 'EUR', 'zh')).toContain('0.000001');
    expect(durationText('340', 'en')).toBe('340 ms');
    expect(durationText('2440', 'en')).toBe('2.4 sec');
  });

  it('and answers are shown with line breaks only if they are JSON', () => {
    expect(readableJSON('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(readableJSON('<b>no</b>')).toBe('<b>no</b>');
  });
});
