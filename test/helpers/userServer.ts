import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { run } from '../../src/host/run.js';
import { eventually } from './eventually.js';
import type { TmuxStage } from './tmuxTeam.js';

/** A user's own tmux, which runs beside a team or around it. */
export interface UserServer {
  readonly socketPath: string;
  /** Its first pane, where a shell waits. */
  readonly pane: string;
  tmux(...args: string[]): Promise<string>;
  /** Types a line. */
  type(pane: string, line: string): Promise<void>;
  /** Has the shell of a pane run a program. The result waits for its end and gives its exit code. */
  say(pane: string, argv: readonly string[]): Promise<() => Promise<number>>;
  /** All that is the user's: options, hooks, environment, windows, panes, titles, layout. */
  state(): Promise<unknown>;
}

const CONFIG = `
set -g status-left "mine"
set -g pane-border-style "fg=red"
set -gw pane-border-format "mine #{pane_index}"
set -g automatic-rename off
set -g allow-rename off
set -g default-shell /bin/sh
`;

const PANES =
  '#{session_name} #{window_id} #{window_name} #{window_layout} #{window_zoomed_flag} #{pane_id} #{pane_pid} #{pane_title} #{pane_active}';

/** Ended with the stage, which ends whatever runs in its environment. */
export async function userServer(stage: TmuxStage, { neighbour = false } = {}): Promise<UserServer> {
  const config = join(stage.folder, 'user.conf');
  await writeFile(config, CONFIG);
  const tmux = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await run('tmux', ['-f', config, '-L', 'user', ...args], {
      env: stage.env,
      cwd: stage.repo,
    });
    expect({ exitCode, args }, stderr).toEqual({ exitCode: 0, args });
    return stdout;
  };
  const format = '#{socket_path}|#{pane_id}|#{window_id}';
  const started = await tmux('new-session', '-d', '-s', 'work', '-x', '200', '-y', '50', '-P', '-F', format);
  const [socketPath = '', pane = '', window = ''] = started.split('|');
  if (neighbour) await tmux('split-window', '-d', '-t', pane, '/usr/bin/env', 'cat');
  await tmux('select-pane', '-t', pane, '-T', 'my title');
  const type: UserServer['type'] = async (target, line) => {
    await tmux('send-keys', '-t', target, '-l', line);
    await tmux('send-keys', '-t', target, 'Enter');
  };
  let said = 0;
  const say: UserServer['say'] = async (target, argv) => {
    const exit = join(stage.folder, `exit-${said++}`);
    await type(target, `${argv.map(quoted).join(' ')}; echo $? > ${quoted(exit)}`);
    return () =>
      eventually(async () => {
        const text = (await readFile(exit, 'utf8')).trim();
        expect(text).not.toBe('');
        return Number(text);
      }, 100_000);
  };
  // A shell that is still starting has children that are none of a team's.
  await (await say(pane, ['true']))();
  return {
    socketPath,
    pane,
    tmux,
    type,
    say,
    state: async () => ({
      global: await tmux('show-options', '-g'),
      globalWindow: await tmux('show-options', '-gw'),
      server: await tmux('show-options', '-s'),
      session: await tmux('show-options', '-t', 'work'),
      window: await tmux('show-options', '-w', '-t', window),
      pane: await tmux('show-options', '-p', '-t', pane),
      hooks: await tmux('show-hooks', '-g'),
      environment: await tmux('show-environment', '-g'),
      panes: await tmux('list-panes', '-a', '-F', PANES),
    }),
  };
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
