import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { BIN, pathWithoutTmux, stage } from '../helpers/program.js';
import { terminal } from '../helpers/terminal.js';
import { tmuxStage } from '../helpers/tmuxTeam.js';
import { userServer } from '../helpers/userServer.js';

test('in a terminal with tmux the demo shows every member in a pane of its own, ends by itself, and leaves no server', async () => {
  await using at = await stage();
  await using shell = await terminal(at.env, at.folder);
  await shell.type(`node ${BIN} demo --seed 4; echo ended with $?`);
  await eventually(async () => {
    const screen = await shell.screen();
    for (const member of ['team-lead', 'planner', 'implementer', 'reviewer']) expect(screen).toContain(`── ${member} `);
  });
  await eventually(async () => expect(await shell.screen()).toContain('ended with 0'), 200_000);
  expect(await shell.screen()).toContain('passes now');
  const sockets = await readdir(join(at.folder, 'tmux', `tmux-${process.getuid?.()}`));
  expect(sockets).toEqual(['terminal']);
});

test('with no tmux on the PATH the demo runs in one process, in a terminal too', async () => {
  await using at = await stage();
  const PATH = await pathWithoutTmux(join(at.folder, 'bin'));
  await using shell = await terminal(at.env, at.folder);
  await shell.type(`PATH=${PATH} node ${BIN} demo --seed 6; echo ended with $?`);
  await eventually(async () => expect(await shell.screen()).toContain('ended with 0'), 200_000);
  expect(await shell.screen()).toContain('There is no tmux on the PATH. The team runs in this process.');
});

test('inside a tmux the demo shows its members beside the pane where it was said, and leaves that tmux as it was', async () => {
  await using at = await tmuxStage('agents: {}');
  const user = await userServer(at);
  const before = await user.state();
  const exitCode = await user.say(user.pane, [process.execPath, BIN, 'demo', '--seed', '7']);
  await eventually(async () => {
    const shown = (await user.tmux('list-panes', '-a', '-F', '#{@troupe_agent}')).split('\n');
    expect(shown).toEqual(expect.arrayContaining(['implementer', 'planner', 'reviewer']));
  });
  expect(await exitCode()).toBe(0);
  expect(await user.tmux('capture-pane', '-p', '-S', '-200', '-t', user.pane)).toContain('passes now');
  expect(await user.state()).toEqual(before);
});
