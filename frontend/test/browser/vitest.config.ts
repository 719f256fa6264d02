import { defineConfig } from 'vitest/config';

// Runs the stories in a real browser. The Go test test/browser starts them and provides their
// environment (BROWSER_ENVIRONMENT).
export default defineConfig({
  test: {
    include: ['test/browser/*.story.ts', 'test/browser/*.bench.ts'],
    environment: 'node',
    fileParallelism: false,
    // They end stories that hang. On a machine with much other work a story takes minutes.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    disableConsoleIntercept: true,
    // The whole of what axe found is in the failure.
    chaiConfig: { truncateThreshold: 0 },
  },
});
