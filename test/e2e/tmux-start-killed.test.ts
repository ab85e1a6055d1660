import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { deadlyPath, WITHOUT_PANE } from '../helpers/killedStart.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { BIN } from '../helpers/program.js';
import { type TmuxStage, tmuxStage, tree } from '../helpers/tmuxTeam.js';

// The next start after one that was killed: test/chaos/start-killed.test.ts.
describe('in a team', () => {
  let stage: TmuxStage;
  beforeAll(async () => {
    stage = await tmuxStage(`${PAIR_SCRIPT}  '*': [{ reply: "Noted." }]\n`);
    await stage.template('pair', PAIR);
    await stage.ok('up', 'pair', '--name', 'hands', '--detach', '--backend', 'tmux');
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const launchFile = (name: string) => join(stage.home, `teams/hands/launch/${name}.json`);
  /** Its launch file is written, and nothing starts it. */
  const addAndKill = async (name: string) => {
    const env = { ...stage.env, PATH: await deadlyPath(stage, WITHOUT_PANE) };
    await expect(stage.troupe(['add', name, '--prompt', 'Help them.'], { env })).rejects.toThrow('SIGKILL');
    expect(await readFile(launchFile(name), 'utf8')).toContain('test-key');
  };
  const ended: Promise<unknown[]>[] = [];

  test.each(['ignore', 'pipe'] as const)('a teammate is one whatever its stdin is: %s', async (stdin) => {
    const name = `with-${stdin}`;
    await addAndKill(name);
    const child = spawn(process.execPath, [BIN, 'teammate', '--launch', launchFile(name)], {
      env: stage.env,
      stdio: [stdin, 'ignore', 'ignore'],
    });
    ended.push(once(child, 'exit'));
    await stage.until(name, 'idle');
    expect(stage.heard(name)[0]).toContain('Help them.');
    await stage.tell(name, 'And then?');
    await eventually(() => expect(stage.heard(name).at(-1)).toContain('And then?'));
    await stage.until(name, 'idle');
  });

  test('a start that is killed and not made again ends with its team, and its secrets with it', async () => {
    await addAndKill('lost');
    await stage.until('planner', 'idle');
    await stage.ok('down');
    expect((await Promise.all(ended)).map(([code]) => code)).toEqual([0, 0]);
    expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
    for (const path of await tree(stage.home))
      if ((await stat(join(stage.home, path))).isFile())
        expect(await readFile(join(stage.home, path), 'utf8'), path).not.toContain('test-key');
  });
});
