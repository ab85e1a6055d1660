import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { addTemplate, resultOf } from '../helpers/headless.js';
import { BIN, type Stage, stage } from '../helpers/program.js';
import { tree } from '../helpers/tmuxTeam.js';

const LOOKS = `
agents:
  team-lead:
    - { when: { turn: 1 }, reply: [{ tool: Bash, input: { command: 'echo seen' } }, { tool: Glob, input: { pattern: '*' } }] }
    - { reply: 'It works.' }
`;

const MAKER = '---\nname: maker\ndescription: x\nmembers: [{ name: bob, worktree: true }]\n---\nGo. {{prompt}}\n';

/** A folder with nothing on the PATH but what is named. */
async function onlyPath({ folder }: Stage, programs: readonly string[]): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const program of programs) {
    const { stdout } = await run('sh', ['-c', `command -v ${program}`]);
    await symlink(stdout.trim(), join(bin, program));
  }
  return bin;
}

const BARE = ['sh', 'bash', 'env', 'cat', 'ls', 'echo'];

test.concurrent.each([
  {
    what: 'CI=true, a dumb terminal, NO_COLOR and FORCE_COLOR, and TMUX of a server that is gone',
    env: { CI: 'true', TERM: 'dumb', NO_COLOR: '1', FORCE_COLOR: '1', TMUX: '/nowhere/sock,1,0', TMUX_PANE: '%9' },
  },
  { what: 'no TERM, HOME, SHELL and LANG', env: {}, without: ['TERM', 'HOME', 'SHELL', 'LANG'] },
  { what: 'no git, no tmux and no ripgrep on the PATH', env: {}, programs: BARE },
])('a run works with $what', async ({ env, without = [], programs }) => {
  await using alone = await stage(LOOKS);
  const surroundings: Record<string, string> = { ...alone.env, ...env };
  for (const name of without) delete surroundings[name];
  if (programs) surroundings['PATH'] = await onlyPath(alone, programs);
  const args = [BIN, 'run', 'Look.', '--output-format', 'json', '--permission-mode', 'bypassPermissions'];
  const ended = await run(process.execPath, args, { env: surroundings, cwd: alone.folder, timeout: 100_000 });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(resultOf(ended)).toMatchObject({ result: 'It works.', permission_denials: [] });
  expect(ended.stdout + ended.stderr).not.toContain('\x1b[');
});

test.concurrent.each([
  { what: 'no tmux', args: ['--backend', 'tmux'], programs: BARE, exitCode: 2, says: /There is no tmux on the PATH/ },
  { what: 'no git, for a worktree', args: ['--template', 'maker'], programs: BARE, exitCode: 2, says: /git/ },
  {
    what: 'no repository, for a worktree',
    args: ['--template', 'maker'],
    exitCode: 2,
    says: / is no git repository|not in a git|repository/,
  },
  { what: 'no key', args: [], without: ['ANTHROPIC_API_KEY'], exitCode: 5, says: /No credentials .* troupe demo/ },
])('what is missing is said in one line: $what', async ({ args, programs, without = [], exitCode, says }) => {
  await using alone = await stage(LOOKS);
  await addTemplate(alone, 'maker', MAKER);
  const surroundings: Record<string, string> = { ...alone.env };
  for (const name of without) delete surroundings[name];
  if (programs) surroundings['PATH'] = await onlyPath(alone, programs);
  const words = [BIN, 'run', 'Look.', '--output-format', 'json', ...args];
  const ended = await run(process.execPath, words, { env: surroundings, cwd: alone.folder, timeout: 100_000 });
  expect(ended.exitCode, ended.stderr).toBe(exitCode);
  expect(ended.stderr).toMatch(says);
  const lines = ended.stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('Starting '));
  expect(lines).toHaveLength(1);
});

const canUnshare = (await run('unshare', ['-m', 'true'])).exitCode === 0;

test.skipIf(!canUnshare)('a run works in a checkout that cannot be written to, and changes nothing in it', async () => {
  await using alone = await stage(LOOKS);
  const checkout = join(alone.folder, 'checkout');
  await run('git', ['init', '--quiet', checkout]);
  const before = await tree(checkout);
  const words = ['run', 'Look.', '--output-format', 'json', '--permission-mode', 'bypassPermissions'];
  const script =
    'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && ! touch x 2>/dev/null && exec "$@"';
  const ended = await run('unshare', ['-m', 'sh', '-c', script, checkout, process.execPath, BIN, ...words], {
    env: alone.env,
    timeout: 100_000,
  });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(resultOf(ended)).toMatchObject({ result: 'It works.' });
  expect(await tree(checkout)).toEqual(before);
  expect(await readdir(join(alone.home, 'archive'))).toHaveLength(1);
});
