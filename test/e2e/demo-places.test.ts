import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { eventually } from '../helpers/eventually.js';
import { BIN, stage } from '../helpers/program.js';
import { terminal } from '../helpers/terminal.js';

/** A folder of links to programs that a demo needs, and no tmux among them. */
async function pathWithoutTmux(folder: string): Promise<string> {
  await mkdir(folder);
  for (const name of ['node', 'git', 'sh', 'bash', 'env', 'cat', 'npm']) {
    const { stdout } = await run('sh', ['-c', `command -v ${name}`]);
    await symlink(stdout.trim(), join(folder, name));
  }
  return folder;
}

test('in a terminal with tmux the demo shows every member in a pane of its own, ends by itself, and leaves no server', async () => {
  await using at = await stage();
  await using shell = await terminal(at.env, at.folder);
  await shell.type(`node ${BIN} demo --seed 4; echo ended with $?`);
  await eventually(async () => {
    const screen = await shell.screen();
    for (const member of ['team-lead', 'planner', 'implementer', 'reviewer']) expect(screen).toContain(`── ${member} `);
  }, 30_000);
  await eventually(async () => expect(await shell.screen()).toContain('ended with 0'), 60_000);
  expect(await shell.screen()).toContain('passes now');
  const sockets = await readdir(join(at.folder, 'tmux', `tmux-${process.getuid?.()}`));
  expect(sockets).toEqual(['terminal']);
});

test('with no tmux on the PATH the demo runs in one process, in a terminal and without one', async () => {
  await using at = await stage();
  const PATH = await pathWithoutTmux(join(at.folder, 'bin'));
  const piped = await run(process.execPath, [BIN, 'demo', '--seed', '5'], { cwd: at.folder, env: { ...at.env, PATH } });
  expect({ exitCode: piped.exitCode, stdout: piped.stdout }, piped.stderr).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('passes now'),
  });

  await using shell = await terminal(at.env, at.folder);
  await shell.type(`PATH=${PATH} node ${BIN} demo --seed 6; echo ended with $?`);
  await eventually(async () => expect(await shell.screen()).toContain('ended with 0'), 60_000);
  expect(await shell.screen()).toContain('There is no tmux on the PATH. The team runs in this process.');
});
