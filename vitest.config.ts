import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Most of the time of most tests is waiting for other processes.
    maxWorkers: 3,
    // Of the tests of one file that may run side by side.
    maxConcurrency: 2,
    // For the closing line of .ci/run.
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'test-results.json' }]] : ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/chaos/**'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/helpers/build.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      // What e2e shows once, at every step and with many members: npm run test:chaos.
      {
        test: {
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          globalSetup: ['test/helpers/build.ts'],
          testTimeout: 300_000,
        },
      },
    ],
  },
});
