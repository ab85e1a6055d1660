import { defineConfig } from 'vitest/config';

const endToEnd = {
  globalSetup: ['test/helpers/build.ts'],
  testTimeout: 240_000,
  hookTimeout: 240_000,
};

export default defineConfig({
  test: {
    // Most of the time of most tests is waiting for other processes.
    maxWorkers: 4,
    // Of the tests of one file that may run side by side.
    maxConcurrency: 2,
    // Files keep nothing in their modules that others must not see: to load all anew for each takes a third of the time.
    isolate: false,
    // For the closing line of .ci/run.
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'test-results.json' }]] : ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/chaos/**'],
          testTimeout: 60_000,
        },
      },
      { test: { ...endToEnd, name: 'e2e', include: ['test/e2e/**/*.test.ts'] } },
      { test: { ...endToEnd, name: 'chaos', include: ['test/chaos/**/*.test.ts'], testTimeout: 300_000 } },
    ],
  },
});
