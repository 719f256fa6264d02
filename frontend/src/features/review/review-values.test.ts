import { describe, expect, it } from 'vitest';
import {
  differences,
  rebased,
  type ServerState,
  type TypedValues,
  unsavedValues,
  without,
} from './review-values';

const server = (values: Record<string, string>): ServerState => ({
  version: '1',
  viewerStatus: 'mine',
  holder: null,
  values,
  parts: {
    document: '',
    findings: '',
    explanations: '',
    amount: '',
    order: '',
    grounds: '',
    lines: '',
  },
});

const typed = (value: string, base: string): TypedValues => ({ total: { value, base } });

describe('fields with two versions', () => {
  it('do not exist while nothing has changed', () => {
    const serverState = server({ total: '10.00', vendor: 'Acme' });
    expect(differences({ serverState, reviewedValues: null, typed: {} })).toEqual([]);
    expect(differences({ serverState, reviewedValues: serverState.values, typed: {} })).toEqual([]);
    expect(
      differences({ serverState, reviewedValues: null, typed: typed('12.00', '10.00') }),
    ).toEqual([]);
  });

  it('show what the user typed over a value that a colleague has changed', () => {
    const serverState = server({ total: '11.00' });
    expect(
      differences({ serverState, reviewedValues: null, typed: typed('12.00', '10.00') }),
    ).toEqual([{ name: 'total', mine: '12.00', before: '10.00', theirs: '11.00' }]);
  });

  it('show a value that changed after the user reviewed it', () => {
    const serverState = server({ total: '11.00', vendor: 'Acme' });
    const reviewedValues = { total: '10.00', vendor: 'Acme' };
    expect(differences({ serverState, reviewedValues, typed: {} })).toEqual([
      { name: 'total', mine: null, before: '10.00', theirs: '11.00' },
    ]);
  });

  it('are decided by the typed value, not by the reviewed one', () => {
    const serverState = server({ total: '11.00' });
    const reviewedValues = { total: '10.00' };
    expect(differences({ serverState, reviewedValues, typed: typed('12.00', '11.00') })).toEqual(
      [],
    );
  });

  it('include a value that a colleague has removed', () => {
    const serverState = server({ total: '' });
    expect(differences({ serverState, reviewedValues: { total: '10.00' }, typed: {} })).toEqual([
      { name: 'total', mine: null, before: '10.00', theirs: '' },
    ]);
  });

  it('never include a field that the document cannot have any more', () => {
    const serverState = server({ vendor: 'Acme' });
    expect(
      differences({
        serverState,
        reviewedValues: { total: '10.00', vendor: 'Acme' },
        typed: typed('12.00', '10.00'),
      }),
    ).toEqual([]);
  });
});

describe('typed values', () => {
  it('are unsaved until the server has the same', () => {
    const both = { ...typed('12.00', '10.00'), vendor: { value: 'Acme', base: '' } };
    expect(unsavedValues(both, { total: '12.00', vendor: '' })).toEqual({
      vendor: { value: 'Acme', base: '' },
    });
    expect(unsavedValues(both, { total: '10.00', vendor: 'Acme' })).toEqual(
      typed('12.00', '10.00'),
    );
    expect(unsavedValues({}, { total: '10.00' })).toEqual({});
  });

  it('that empty a field are unsaved, and not for a field without a value', () => {
    expect(unsavedValues(typed('', '10.00'), { total: '10.00' })).toEqual(typed('', '10.00'));
    expect(unsavedValues(typed('', ''), {})).toEqual({});
  });

  it('are forgotten one by one', () => {
    const both = { ...typed('12.00', '10.00'), vendor: { value: 'Acme', base: '' } };
    expect(without(both, 'total')).toEqual({ vendor: { value: 'Acme', base: '' } });
    expect(without(both, 'tax')).toEqual(both);
    expect(Object.keys(both)).toHaveLength(2);
  });

  it('are based on the present values after the user has kept them', () => {
    const kept = rebased(typed('12.00', '10.00'), { total: '11.00' });
    expect(kept).toEqual(typed('12.00', '11.00'));
    expect(
      differences({ serverState: server({ total: '11.00' }), reviewedValues: null, typed: kept }),
    ).toEqual([]);
    expect(rebased(typed('12.00', '10.00'), { total: '12.00' })).toEqual({});
    expect(rebased(typed('12.00', '10.00'), {})).toEqual(typed('12.00', ''));
  });
});
