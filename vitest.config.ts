import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Most of the time of most tests is waiting for other processes.
    maxWorkers: 3,
    // For the closing line of .ci/run.
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'test-results.json' }]] : ['default'],
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/e2e/**'], testTimeout: 30_000 } },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/helpers/build.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
