import { defineConfig } from 'vitest/config';

/** End-to-end tests that `npm test` leaves out, as CI would pass its time with them: npm run test:long. */
const LONG = [
  'cli-commands',
  'definitions',
  'demo-places',
  'model-faults',
  'model-server',
  'run-long',
  'run-reach',
  'run-reports',
  'run-surroundings',
  'run-tmux',
  'run-worktrees',
  'team-words',
  'tmux-daily',
  'tmux-death',
  'tmux-hidden',
  'tmux-members',
  'tmux-runtime',
  'tmux-shells',
  'tmux-start-killed',
  'tmux-userServer',
  'tmux-worktree',
  'tools-documents',
].map((name) => `test/e2e/${name}.test.ts`);

const endToEnd = {
  globalSetup: ['test/helpers/build.ts'],
  testTimeout: 120_000,
  hookTimeout: 60_000,
};

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
      { test: { ...endToEnd, name: 'e2e', include: ['test/e2e/**/*.test.ts'], exclude: LONG } },
      { test: { ...endToEnd, name: 'long', include: LONG } },
      { test: { ...endToEnd, name: 'chaos', include: ['test/chaos/**/*.test.ts'], testTimeout: 300_000 } },
    ],
  },
});
