import { describe, expect, it } from 'vitest';
import { answerText, questionsOf } from './questions';

describe('questionsOf', () => {
  it('reads one question per line', () => {
    expect(questionsOf(null)).toEqual([]);
    expect(questionsOf('Which order is this for?')).toEqual(['Which order is this for?']);
    expect(questionsOf('1. Which order?\n\n 2) Who ordered it?\n- By when?\n')).toEqual([
      'Which order?',
      'Who ordered it?',
      'By when?',
    ]);
  });

  it('keeps amounts and dashes inside a question', () => {
    expect(questionsOf('12.50 EUR for what?\n2026-11-01 or later?')).toEqual([
      '12.50 EUR for what?',
      '2026-11-01 or later?',
    ]);
  });
});

describe('answerText', () => {
  it('is the plain answer to a single question', () => {
    expect(answerText([], [' yes '])).toBe('yes');
    expect(answerText(['Which order?'], [' 4711 '])).toBe('4711');
  });

  it('puts each answer under its question and omits empty ones', () => {
    expect(
      answerText(['Which order?', 'Where is page 2?', 'By when?'], ['4711', ' ', 'Monday']),
    ).toBe('1. Which order?\n4711\n3. By when?\nMonday');
  });
});
