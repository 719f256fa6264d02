import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// The stories of test/browser need a real server and a Chromium; test/browser (Go) starts both and runs them.
export default defineConfig({
  plugins: [react()],
  // The templates of processes are files of the tree beside the pages.
  server: { fs: { allow: ['.', '../workflow'] } },
  test: {
    environment: 'jsdom',
    setupFiles: ['test/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}', 'test/*.test.ts'],
    css: false,
    // Machines are shared with other work; none of these tests waits for anything.
    testTimeout: 30_000,
  },
});
