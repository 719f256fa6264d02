import { defineConfig } from 'vitest/config';

// Stories in a real browser, run by the Go test test/browser, which makes the world they play in (BROWSER_WORLD).
export default defineConfig({
  test: {
    include: ['test/browser/*.story.ts'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    disableConsoleIntercept: true,
  },
});
