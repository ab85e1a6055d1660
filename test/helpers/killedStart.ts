import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { PAIR, PAIR_SCRIPT } from './pair.js';
import { lines, type TmuxStage, tmuxStage } from './tmuxTeam.js';

/** Where a start of a member is killed: at a call of a tool, before it or behind it. */
export interface Step {
  readonly at: string;
  readonly tool: 'git' | 'tmux';
  readonly words: string;
  readonly when: 'before' | 'behind';
}

export const WITHOUT_PANE: Step = {
  at: 'its launch file is written',
  tool: 'tmux',
  words: 'split-window',
  when: 'before',
};

export const STEPS: readonly Step[] = [
  { at: 'its name is reserved', tool: 'git', words: 'worktree add', when: 'before' },
  { at: 'its worktree is made', tool: 'git', words: 'worktree add', when: 'behind' },
  WITHOUT_PANE,
  { at: 'its pane is made', tool: 'tmux', words: 'split-window', when: 'behind' },
  { at: 'its process runs', tool: 'tmux', words: 'respawn-pane', when: 'behind' },
];

/** A PATH on which the tool, asked for this, kills whoever asked, once. */
export async function deadlyPath(stage: TmuxStage, { tool, words, when }: Step): Promise<string> {
  const folder = join(stage.folder, 'deadly');
  const armed = join(stage.folder, 'armed');
  await mkdir(folder, { recursive: true });
  await writeFile(armed, '');
  const [real] = await lines('sh', ['-c', `command -v ${tool}`]);
  const shot = `${when === 'behind' ? `${real} "$@"; ` : ''}kill -9 $PPID; exit 1`;
  const text = `#!/bin/sh\ncase " $* " in *" ${words} "*) if rm ${armed} 2>/dev/null; then ${shot}; fi;; esac\nexec ${real} "$@"\n`;
  await writeFile(join(folder, tool), text);
  await chmod(join(folder, tool), 0o755);
  return `${folder}:${stage.env['PATH']}`;
}

/** A start that is killed there is not in the way of the next one, nor of the end. */
export async function expectNextStart(step: Step): Promise<void> {
  await using stage = await tmuxStage(`${PAIR_SCRIPT}  helper: [{ reply: "Noted by the helper." }]\n`);
  await stage.template('pair', PAIR);
  await stage.ok('up', 'pair', '--name', 'hands', '--detach', '--backend', 'tmux');
  await stage.until('reviewer', 'idle');
  const before = await stage.traces();
  const add = ['add', 'helper', '--worktree', '--prompt', 'Help them.', '--request-id', 'r1'];
  const env = { ...stage.env, PATH: await deadlyPath(stage, step) };
  await expect(stage.troupe(add, { env })).rejects.toThrow('SIGKILL');

  const { exitCode, stderr } = await stage.troupe(add);
  expect(exitCode, stderr).toBe(0);
  const helper = await stage.until('helper', 'idle');
  expect(stage.heard('helper')).toHaveLength(1);
  expect(stage.heard('helper')[0]).toContain('Help them.');
  expect(await stage.tmux('display-message', '-p', '-t', helper.pane, '#{@troupe_team} #{@troupe_agent}')).toBe(
    'hands helper',
  );
  const marks = (await stage.tmux('list-panes', '-a', '-F', '#{@troupe_agent}')).split('\n');
  expect(marks.filter((mark) => mark === 'helper')).toHaveLength(1);
  expect(marks).not.toContain('');

  await stage.ok('shutdown', 'helper');
  expect(await stage.tmux('list-panes', '-a', '-F', '#{@troupe_agent}')).not.toContain('helper');
  await stage.ok('down');
  expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
  // What git alone knows of is cleared by the next start.
  await stage.ok('up', 'pair', '--name', 'later', '--detach', '--backend', 'tmux');
  expect(await stage.traces()).toMatchObject({ worktrees: before.worktrees, branches: before.branches });
  await stage.ok('down');
}
