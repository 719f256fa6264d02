import { describe, expect, it } from 'vitest';
import {
  changed,
  columnsOf,
  columnsText,
  exportFilters,
  filterOf,
  panelCount,
  sortOf,
} from './case-search';

const statuses = ['in_review', 'archived'];

describe('the filter of the case list', () => {
  it('is nothing without filters', () => {
    expect(filterOf({}, true, statuses)).toBeNull();
    expect(filterOf({ sort: 'oldest', columns: 'party' }, true, statuses)).toBeNull();
  });
  it('has every filter of the address', () => {
    const search = {
      text: 'a',
      status: 'in_review',
      process: 'p',
      type: 'invoice',
      counterparty: 'v',
      submitter: 'id',
      source: 'mail',
      from: '2026-03-01',
      to: '2026-03-02',
      currency: 'eur',
      amountFrom: '10.50',
      amountTo: '99',
      minRisk: '0',
      maxRisk: '100',
      queue: 'L1',
      rule: 'r',
    };
    expect(filterOf(search, true, statuses)).toEqual({
      text: 'a',
      statuses: ['IN_REVIEW'],
      process: 'p',
      documentType: 'invoice',
      counterparty: 'v',
      submitterId: 'id',
      channel: 'MAIL',
      submittedFrom: new Date(2026, 2, 1).toISOString(),
      submittedTo: new Date(2026, 2, 3).toISOString(),
      amount: { currency: 'EUR', from: '10.50', to: '99' },
      minRisk: 0,
      maxRisk: 100,
      queue: 'L1',
      rule: 'r',
    });
    const own = filterOf(search, false, statuses);
    expect(own).not.toHaveProperty('minRisk');
    expect(own).not.toHaveProperty('queue');
    expect(panelCount(search, true)).toBe(14);
    expect(panelCount(search, false)).toBe(10);
  });
  it('leaves out values of the address that are invalid', () => {
    const wrong = {
      status: 'lost',
      source: 'fax',
      from: '2026-13-01',
      amountFrom: '1',
      minRisk: '101',
      maxRisk: 'x',
    };
    expect(filterOf(wrong, true, statuses)).toBeNull();
    expect(filterOf({ currency: 'EUR', amountFrom: '1,5,0' }, true, statuses)).toEqual({
      amount: { currency: 'EUR', from: null, to: null },
    });
  });
  it('is the same in an export', () => {
    expect(
      exportFilters(
        { status: 'archived', currency: 'usd', amountTo: '5', queue: 'L1' },
        true,
        statuses,
      ),
    ).toMatchObject({ status: 'archived', currency: 'USD', amountTo: '5', queue: 'L1' });
    expect(exportFilters({ queue: 'L1', minRisk: '5' }, false, statuses).queue).toBeUndefined();
  });
});

describe('the order and the columns', () => {
  it('are those of the address that the person may use', () => {
    expect(sortOf({ sort: 'risk_highest' }, true)).toBe('risk_highest');
    expect(sortOf({ sort: 'risk_highest' }, false)).toBe('newest');
    expect(sortOf({ sort: 'x' }, true)).toBe('newest');
    expect(columnsOf({ columns: 'risk,party,x' }, true)).toEqual(['party', 'risk']);
    expect(columnsOf({ columns: 'risk,party' }, false)).toEqual(['party']);
    expect(columnsOf({ columns: 'x' }, true)).toEqual(columnsOf({}, true));
  });
  it('are left out of the address if they are the usual ones', () => {
    expect(columnsText(columnsOf({}, true))).toBeUndefined();
    expect(columnsText(['risk', 'party'])).toBe('party,risk');
    expect(columnsText([])).toBeUndefined();
    expect(
      changed({ text: 'a', sort: 'oldest' }, { text: ' ', sort: undefined, type: 'x ' }),
    ).toEqual({
      type: 'x',
    });
  });
});
