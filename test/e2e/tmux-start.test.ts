import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { BIN } from '../helpers/program.js';
import { type TmuxStage, tmuxStage, tree } from '../helpers/tmuxTeam.js';
import { userServer } from '../helpers/userServer.js';

const PAIR = `---
name: pair
description: Two, one of them in a worktree.
members:
  - { name: planner, prompt: Wait. }
  - { name: builder, prompt: Wait., worktree: true }
---
Wait for both.
`;

const UP = ['up', 'pair', '--name', 'short-lived', '--detach'];

/** tmux 3.3 loses what a program says in the moment of its death, when the machine is busy. */
const LAST = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);';

/** Ends every node that has `word` among its arguments, before its first line. */
async function poison(stage: TmuxStage, word: string): Promise<Record<string, string>> {
  const file = join(stage.folder, 'poison.cjs');
  await writeFile(
    file,
    `if (process.argv.some((argument) => argument.endsWith(${JSON.stringify(word)}))) { console.error('no such luck'); ${LAST} process.exit(7); }`,
  );
  return { ...stage.env, NODE_OPTIONS: `--require ${file}` };
}

async function everything(stage: TmuxStage) {
  const repository = (await tree(stage.repo)).filter((path) => !path.startsWith('.git/'));
  return {
    traces: await stage.traces(),
    home: await tree(stage.home),
    repository,
    git: await readdir(join(stage.repo, '.git')),
  };
}

test.each([
  ['teammate', 'planner.json', 'planner'],
  ['teammate in a worktree', 'builder.json', 'builder'],
  ['lead', 'team-lead.json', 'team-lead'],
])(
  'a %s that dies at once in its pane is told with its last words, and nothing of its team is left',
  async (_, word, name) => {
    await using stage = await tmuxStage('agents: {}');
    await stage.template('pair', PAIR);
    const env = await poison(stage, word);
    const before = await everything(stage);
    const { exitCode, stdout, stderr } = await stage.troupe(UP, { env });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `Starting planner, builder (tmux)\ntroupe: "${name}" ended before it was ready (exit code 7). Its last lines:\nno such luck`,
    });
    expect(await everything(stage)).toEqual(before);
  },
);

test('a member that dies at once in the user’s own tmux leaves that as it was', async () => {
  await using stage = await tmuxStage('agents: {}');
  await stage.template('pair', PAIR);
  const { NODE_OPTIONS = '' } = await poison(stage, 'planner.json');
  const user = await userServer(stage);
  const before = { ...(await everything(stage)), state: await user.state() };
  const exitCode = await user.say(user.pane, [
    'env',
    `NODE_OPTIONS=${NODE_OPTIONS}`,
    process.execPath,
    BIN,
    ...UP.slice(0, -1),
  ]);
  expect(await exitCode()).toBe(1);
  await eventually(async () => expect({ ...(await everything(stage)), state: await user.state() }).toEqual(before));
});

test('a member that dies at once when it is added leaves the team as it was', async () => {
  await using stage = await tmuxStage('agents: { "*": [{ reply: Noted. }] }');
  await stage.template('pair', PAIR);
  await stage.ok(...UP);
  for (const name of ['team-lead', 'planner', 'builder']) await stage.until(name, 'idle');
  const env = await poison(stage, 'helper.json');
  const before = { panes: (await stage.traces()).panes, worktrees: (await stage.traces()).worktrees };
  const { exitCode, stderr } = await stage.troupe(['add', 'helper', '--worktree'], { env });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'troupe: "helper" ended before it was ready (exit code 7). Its last lines:\nno such luck',
  });
  expect({ panes: (await stage.traces()).panes, worktrees: (await stage.traces()).worktrees }).toEqual(before);
  expect((await stage.status()).members.map(({ name }) => name)).not.toContain('helper');
  await stage.ok('down');
});
