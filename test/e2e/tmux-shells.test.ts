import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { BIN } from '../helpers/program.js';
import { type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';
import { userServer } from '../helpers/userServer.js';

const SCRIPT = `agents: { '*': [{ reply: Noted. }] }`;
const ONE = '---\nname: one\ndescription: One who waits.\nmembers: [{ name: bob }]\n---\nWait.\n';
const UP = ['up', 'one', '--name', 'shells', '--detach'];

const SHELLS = [
  ['sleeps and eats what is typed', 'sleep 60; cat > /dev/null'],
  ['refuses words with an =', 'case "$*" in *=*) echo "refused: $*" >&2; exit 1;; esac; exec /bin/sh "$@"'],
  ['exits at once', 'exit 0'],
] as const;

async function oddShell(stage: TmuxStage, body: string): Promise<string> {
  const shell = join(stage.folder, 'login-shell');
  await writeFile(shell, `#!/bin/sh\n${body}\n`);
  await chmod(shell, 0o755);
  return shell;
}

describe.each(SHELLS)('a login shell that %s makes no difference to a start', (_, body) => {
  test('in a tmux of the team’s own', async () => {
    await using stage = await tmuxStage(SCRIPT);
    await stage.template('one', ONE);
    const shell = await oddShell(stage, body);
    const config = `set -g default-shell ${shell}\nset -g default-command ${shell}\n`;
    await writeFile(join(stage.env['HOME'] ?? '', '.tmux.conf'), config);
    const { exitCode, stderr } = await stage.troupe(UP, { env: { ...stage.env, SHELL: shell } });
    expect(exitCode, stderr).toBe(0);
    for (const name of ['team-lead', 'bob']) await stage.until(name, 'idle');
    await stage.ok('add', 'helper');
    await stage.ok('down');
    expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
  });

  test('in the user’s tmux', async () => {
    await using stage = await tmuxStage(SCRIPT);
    await stage.template('one', ONE);
    const user = await userServer(stage);
    const shell = await oddShell(stage, body);
    await user.tmux('set-option', '-g', 'default-shell', shell);
    await user.tmux('set-option', '-g', 'default-command', shell);
    const before = { traces: await stage.traces(), state: await user.state() };
    expect(await (await user.say(user.pane, [process.execPath, BIN, ...UP]))()).toBe(0);
    for (const name of ['team-lead', 'bob']) await stage.until(name, 'idle');
    await stage.ok('down');
    await eventually(async () => expect({ traces: await stage.traces(), state: await user.state() }).toEqual(before));
  });
});

test('what only the environment of the user’s tmux says makes no difference to a start in it', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await stage.template('one', ONE);
  const user = await userServer(stage);
  await user.tmux('set-environment', '-g', 'NODE_OPTIONS', `--require ${stage.folder}/missing.cjs`);
  await user.tmux('set-environment', '-g', 'ANTHROPIC_BASE_URL', 'http://127.0.0.1:9');
  await user.tmux('set-environment', '-g', 'TROUPE_HOME', join(stage.folder, 'elsewhere'));
  const before = { traces: await stage.traces(), state: await user.state() };
  expect(await (await user.say(user.pane, [process.execPath, BIN, ...UP]))()).toBe(0);
  for (const name of ['team-lead', 'bob']) await stage.until(name, 'idle');
  expect((await stage.status()).tmux?.socketPath).toBe(user.socketPath);
  await stage.ok('down');
  await eventually(async () => expect({ traces: await stage.traces(), state: await user.state() }).toEqual(before));
});
