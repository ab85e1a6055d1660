import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { initRepo } from '../helpers/gitRepo.js';
import { type Ended, resultOf } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

/** Runs a shipped template on a repository that its script has never seen. */
async function play(
  name: string,
  prompt: string,
): Promise<
  AsyncDisposable &
    Ended & { result: ReturnType<typeof resultOf>; repo: string; lines(...args: string[]): Promise<string> }
> {
  const script = await readFile(
    fileURLToPath(new URL(`../../templates/scripts/${name}.yaml`, import.meta.url)),
    'utf8',
  );
  const staged = await stage(script);
  const repo = join(staged.folder, 'project');
  await initRepo(repo);
  const ended = await staged.troupe(['run', name, prompt, '--output-format', 'json'], { cwd: repo, timeout: 100_000 });
  return {
    ...ended,
    result: resultOf(ended),
    repo,
    lines: async (...args) => (await run('git', ['-C', repo, ...args])).stdout.trim(),
    [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose](),
  };
}

test('debug: three argue, and the theory that nobody refutes is the cause', async () => {
  await using played = await play('debug', 'The list is sometimes empty.');
  expect(played.exitCode, played.stderr).toBe(0);
  expect(played.result.result).toMatch(
    /^Cause: commit [0-9a-f]{4,} broke it|^Nothing more to do: the cause is [0-9a-f]{4,}/,
  );
  expect(played.result.permission_denials).toEqual([]);
  expect(await played.lines('status', '--porcelain')).toBe('');
});

test('research: three report, and the answer names what each found', async () => {
  await using played = await play('research', 'How is a release made?');
  expect(played.exitCode, played.stderr).toBe(0);
  expect(played.result.result).toMatch(/^Answer: |^Nothing more to do/);
  expect(played.result.permission_denials).toEqual([]);
  expect(played.result.members.map(({ name }) => name).sort()).toEqual(['code', 'history', 'team-lead', 'writings']);
});

test('refactor: two parts in worktrees of their own are put together on a branch, and the lead merges it', async () => {
  await using played = await play('refactor', 'Describe both halves.');
  expect(played.exitCode, played.stderr).toBe(0);
  expect(played.result.tasks.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  expect(await played.lines('ls-files')).toBe('PART-1.md\nPART-2.md\nREADME.md');
  expect(await played.lines('log', '--merges', '--format=%s')).toContain('Take the second half');
  // Everything is merged, so nothing of the worktrees is left.
  expect(played.result.worktrees).toEqual([]);
  expect(await played.lines('worktree', 'list')).not.toContain('troupe/');
});
