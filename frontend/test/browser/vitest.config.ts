import { defineConfig } from 'vitest/config';

// Runs the stories in a real browser. The Go test test/browser starts them and provides their
// environment (BROWSER_ENVIRONMENT).
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
