import { describe, expect, it } from 'vitest';
import { limitForm, limitText, presentLimit, textOfForm } from './limit-text';

const limits = [
  { role: 'a', action: 'decide', documentType: '', amount: { amount: '500.00', currency: 'USD' } },
  { role: 'a', action: 'decide', documentType: 'invoice', amount: null },
];

describe('a limit', () => {
  it('is shown as it is in force or changed', () => {
    expect(presentLimit(limits, 'a', '')).toBe('500.00 USD');
    expect(presentLimit(limits, 'a', 'invoice')).toBe('unlimited');
    expect(presentLimit(limits, 'a', 'receipt')).toBe('none');
    const change = { role: 'a', documentType: 'receipt', before: 'none', after: '1.00 USD' };
    expect(limitText(limits, [change], 'a', 'receipt')).toBe('1.00 USD');
    expect(limitText(limits, [change], 'a', '')).toBe('500.00 USD');
  });
  it('is written in the base currency with its decimals, or not at all', () => {
    for (const text of ['none', 'unlimited', '500.00 USD'])
      expect(textOfForm(limitForm(text))).toBe(text);
    const amount = (amount: string) => textOfForm({ kind: 'amount', amount });
    expect(amount(' 250000 ')).toBe('250000.00 USD');
    expect(amount('250,000.5')).toBe('250000.50 USD');
    expect(amount('007.10')).toBe('7.10 USD');
    for (const text of ['', '-1', '5 EUR', '1.005', 'abc', '1e5', '7,10', '1,00'])
      expect(amount(text)).toBeNull();
  });
});
