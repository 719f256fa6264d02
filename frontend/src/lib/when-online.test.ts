import { afterEach, expect, it, vi } from 'vitest';
import { whenOnline } from './when-online';

afterEach(() => vi.restoreAllMocks());

const connected = (online: boolean) => vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(online);

it('loads again when the connection is back, and throws failures that have another cause', async () => {
  connected(false);
  const load = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new Error('cut'))
    .mockRejectedValueOnce(new Error('cut again'))
    .mockResolvedValue('code');
  const loaded = whenOnline(load);
  for (const attempts of [1, 2]) {
    await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(attempts));
    await Promise.resolve();
    dispatchEvent(new Event('online'));
  }
  await expect(loaded).resolves.toBe('code');
  expect(load).toHaveBeenCalledTimes(3);
  connected(true);
  await expect(whenOnline(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
});
