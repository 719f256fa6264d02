import { describe, expect, it } from 'vitest';
import { processTitle, shareSubject } from './sample-shares';

describe('sample shares', () => {
  it('names a process in the language, otherwise by its key', () => {
    const processes = [{ key: 'pay', titles: [{ name: 'en', value: 'Payment' }] }];
    expect(processTitle(processes, 'en', 'pay')).toBe('Payment');
    expect(processTitle(processes, 'zh', 'pay')).toBe('pay');
    expect(processTitle(processes, 'en', 'other')).toBe('other');
  });

  it('splits the subject of a share', () => {
    expect(shareSubject('pay/approved')).toEqual({ process: 'pay', stratum: 'APPROVED' });
    expect(shareSubject('a/b/straight')).toEqual({ process: 'a/b', stratum: 'STRAIGHT' });
  });
});
