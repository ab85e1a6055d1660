import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../../src/host/run.js';
import { createTmux, type Tmux } from '../../../src/panes/tmux/tmux.js';
import { UserError } from '../../../src/util/errors.js';
import { eventually } from '../../helpers/eventually.js';
import { fakeClock } from '../../helpers/fakeClock.js';
import { tempDir } from '../../helpers/tempDir.js';
import { type OwnServerOptions, ownServer, type Stage } from '../harness.js';

const tmuxOf = (stage: { facts: { socketPath: string } }): Tmux =>
  createTmux(run, { socketPath: stage.facts.socketPath });

describe("whatever the user's login shell is", () => {
  const shells: [what: string, script: string][] = [
    ['a slow one that eats what is typed', '#!/bin/sh\nsleep 2; read -r junk; exec sh "$@"\n'],
    [
      'one that refuses words with "=" and export',
      '#!/bin/sh\ncase "$*" in *=*|*export*) exit 1;; esac; exec sh "$@"\n',
    ],
    ['one that exits at once', '#!/bin/sh\nexit 1\n'],
  ];

  test.each(shells)('%s makes no difference, in a split and in a window', async (_, script) => {
    await using dir = await tempDir();
    const shell = join(dir.path, 'shell');
    await writeFile(shell, script);
    await chmod(shell, 0o755);
    const config = `set -g default-shell ${shell}\nset -g default-command ${shell}\n`;
    for (const layout of ['panes', 'windows'] as const) {
      await using stage = await ownServer({ config, environment: { SHELL: shell }, options: { layout } });
      await stage.start('team-lead', { role: 'lead' });
      await stage.start('alice');
      expect((await stage.ready('team-lead')).argv[0]).toBe('lead');
      expect((await stage.ready('alice')).argv[0]).toBe('teammate');
    }
  });
});

describe('the environment of a member', () => {
  test('is not that of the server: a NODE_OPTIONS that kills node, or a name that the starter lacks, does not get through', async () => {
    const config = 'setenv -g NODE_OPTIONS "--require /missing.js"\nsetenv -g STALE_ACCOUNT old\n';
    await using stage = await ownServer({ config });
    await tmuxOf(stage)(['set-environment', '-t', stage.facts.sessionId, 'SESSION_ONLY', 'old']);
    await stage.start('alice');
    const { environment } = await stage.ready('alice');
    for (const name of ['NODE_OPTIONS', 'STALE_ACCOUNT', 'SESSION_ONLY']) expect(environment).not.toHaveProperty(name);
  });

  test('has what must be known before its first line from whoever starts it', async () => {
    await using stage = await ownServer({ environment: { NODE_OPTIONS: '--no-warnings', TZ: 'Asia/Tokyo' } });
    await stage.start('alice');
    const { environment } = await stage.ready('alice');
    expect(environment).toMatchObject({ NODE_OPTIONS: '--no-warnings', TZ: 'Asia/Tokyo' });
  });

  test('keeps the terminal to the pane', async () => {
    await using stage = await ownServer();
    const pane = await stage.start('alice');
    const { environment } = await stage.ready('alice');
    expect(environment).toMatchObject({
      TMUX_PANE: pane.paneId,
      TMUX: expect.stringContaining(stage.facts.socketPath),
      TERM: expect.stringMatching(/screen|tmux/),
    });
  });

  test("shows no secret in tmux's environment, in a pane's command or among the processes", async () => {
    const secret = 'sk-s3cr3t-0123456789';
    await using stage = await ownServer({ environment: { API_KEY: secret, ANTHROPIC_API_KEY: secret } });
    await stage.start('team-lead', { role: 'lead' });
    const pane = await stage.start('alice');
    await stage.ready('alice');
    const tmux = tmuxOf(stage);
    const told = [
      ...(await tmux(['show-environment', '-g'], ['show-environment', '-t', stage.facts.sessionId])),
      ...(await tmux(['list-panes', '-a', '-F', '#{pane_start_command} #{pane_current_command}'])),
      ...(await tmux(['show-options', '-p', '-t', pane.paneId])),
      (await run('ps', ['-eww', '-o', 'args'])).stdout,
    ].join('\n');
    expect(told).toContain('fakeMember.js');
    expect(told).not.toContain(secret);
  });
});

/** tmux 3.3 may lose what a program says in the moment of its death, when the machine is busy: it is started anew then. */
async function expectEnd({ backend, start }: Stage, end: object): Promise<void> {
  await eventually(async () => {
    const pane = await start('alice');
    const told = await eventually(async () => {
      const now = await backend.ended(pane);
      expect(now).toBeDefined();
      return now;
    });
    await backend.close(pane, { team: 'red', member: 'alice' });
    expect(told).toMatchObject(end);
  });
}

describe('a program that dies', () => {
  test('before its first line is told with what node said', async () => {
    await using stage = await ownServer({ options: { program: [process.execPath, '/missing/troupe.js'] } });
    await expectEnd(stage, {
      code: 1,
      lastLines: expect.stringContaining("Cannot find module '/missing/troupe.js'"),
    });
  });

  test('because it cannot be found is told with its status', async () => {
    await using stage = await ownServer({ options: { program: ['/missing/node'] } });
    await expectEnd(stage, { code: 127, lastLines: expect.stringMatching(/missing\/node/) });
  });

  test('is told every time, also where tmux misses its end', async () => {
    await using stage = await ownServer({ options: { program: ['/missing/node'] } });
    for (let time = 0; time < 20; time++) {
      const pane = await stage.start('alice');
      await eventually(async () => expect(await stage.backend.ended(pane)).toMatchObject({ code: 127 }));
      await stage.backend.close(pane, { team: 'red', member: 'alice' });
    }
  });

  test('by a signal is told with its name', async () => {
    await using stage = await ownServer();
    const pane = await stage.start('alice', { dies: { words: 'out of memory', signal: 'SIGKILL' } });
    await eventually(async () => {
      expect(await stage.backend.ended(pane)).toEqual({ code: null, signal: 'SIGKILL', lastLines: 'out of memory' });
    });
  });

  test('with more words than fit on the screen keeps the last of them, unwrapped', async () => {
    await using stage = await ownServer();
    const words = Array.from({ length: 300 }, (_, index) => `line ${index} ${'x'.repeat(150)}`).join('\n');
    const pane = await stage.start('alice', { dies: { words, code: 3 } });
    await eventually(async () => {
      const end = await stage.backend.ended(pane);
      expect(end).toMatchObject({ code: 3 });
      expect(end?.lastLines).toBe(words.slice(-4000));
    });
  });
});

describe('a start that fails', () => {
  test('in a folder that is not there is an error and makes no pane', async () => {
    await using stage = await ownServer();
    const start = stage.backend.start({
      team: 'red',
      member: 'alice',
      cwd: '/nope',
      launchFile: '/l.json',
      role: 'teammate',
    });
    await expect(start).rejects.toThrow('There is no folder /nope');
    expect(await tmuxOf(stage)(['list-panes', '-a', '-F', '#{pane_id}'])).toEqual([stage.leadPane.paneId]);
  });

  test('in tmux itself says so in the words of tmux and takes its pane back', async () => {
    await using stage = await ownServer({ options: { program: [process.execPath, 'x'.repeat(17_000)] } });
    await expect(stage.start('alice')).rejects.toThrow(/tmux set-option: .*too long/);
    expect(await tmuxOf(stage)(['list-panes', '-a', '-F', '#{pane_id}'])).toEqual([stage.leadPane.paneId]);
  });

  test('because the server is gone is an error that says what to do', async () => {
    await using stage = await ownServer();
    await tmuxOf(stage)(['kill-server']);
    await expect(stage.start('alice')).rejects.toThrow(UserError);
    await expect(stage.start('alice')).rejects.toThrow(/server of team "red".*troupe resume red/);
  });
});

describe('room', () => {
  test('twelve members all live in a server of 80 by 24, none smaller than 40 by 8', async () => {
    await using stage = await ownServer();
    const tmux = tmuxOf(stage);
    await tmux(
      ['set-option', '-g', 'default-size', '80x24'],
      ['resize-window', '-t', stage.leadPane.paneId, '-x', '80', '-y', '24'],
    );
    const names = Array.from({ length: 12 }, (_, index) => `member-${index}`);
    await Promise.all(names.map((name) => stage.start(name)));
    await Promise.all(names.map((name) => stage.ready(name)));
    const sizes = await tmux(['list-panes', '-a', '-F', '#{?@troupe_agent,#{pane_width} #{pane_height},}']);
    const members = sizes.filter((line) => line !== '').map((line) => line.split(' ').map(Number));
    expect(members).toHaveLength(12);
    // A pane at the top gives one of its lines to its border.
    for (const [width = 0, height = 0] of members) expect([width >= 40, height >= 8]).toEqual([true, true]);
  });

  test('the lead keeps two fifths, and the members are in the order in which they came', async () => {
    await using stage = await ownServer();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await stage.start(name);
    const rows = await tmuxOf(stage)(['list-panes', '-a', '-F', '#{@troupe_agent} #{pane_left} #{pane_width}']);
    expect(rows).toEqual([' 0 80', 'a 81 119', 'b 81 119', 'c 81 119', 'd 81 119', 'e 81 119']);
  });

  test('closing members gives their room to the others, and at last to the lead', async () => {
    await using stage = await ownServer();
    const panes = [];
    for (const name of ['a', 'b', 'c']) panes.push({ name, pane: await stage.start(name) });
    for (const { name, pane } of panes) await stage.backend.close(pane, { team: 'red', member: name });
    expect(await tmuxOf(stage)(['list-panes', '-a', '-F', '#{pane_width}'])).toEqual(['200']);
  });

  test.each<[string, OwnServerOptions]>([
    ['panes', {}],
    ['windows', { options: { layout: 'windows' } }],
  ])('indexes that begin at 1 make no difference to %s', async (_, given) => {
    await using stage = await ownServer({ ...given, config: 'set -g base-index 1\nset -g pane-base-index 1\n' });
    const pane = await stage.start('alice');
    await stage.ready('alice');
    await stage.backend.close(pane, { team: 'red', member: 'alice' });
    expect(await tmuxOf(stage)(['list-panes', '-a', '-F', '#{pane_id}'])).toEqual([stage.leadPane.paneId]);
  });

  test('a configuration that ends sessions and servers that nobody looks at does not end the team', async () => {
    await using stage = await ownServer({ config: 'set -g destroy-unattached on\nset -s exit-unattached on\n' });
    await stage.start('alice');
    await stage.ready('alice');
  });

  test('a locale without UTF-8 makes no difference', async () => {
    await using stage = await ownServer({ environment: { LC_ALL: 'C', LANG: 'C' }, team: 'équipe' });
    const pane = await stage.start('zoë');
    await stage.ready('zoë');
    expect(await stage.backend.ended(pane)).toBeUndefined();
    await stage.backend.close(pane, { team: 'équipe', member: 'zoë' });
    expect(await stage.backend.ended(pane)).toMatchObject({ code: null });
  });
});

test('thirty members cost one call to tmux for a look at all of them', async () => {
  let calls = 0;
  const counting: typeof run = (...given) => {
    calls++;
    return run(...given);
  };
  await using stage = await ownServer({ options: { run: counting } });
  const names = ['a', 'b', 'c', 'd'];
  const panes = await Promise.all(names.map((name) => stage.start(name)));
  const facts = panes.map((pane, index) => ({ pane, member: names[index] ?? '', state: 'idle' }));
  await stage.backend.refresh(facts);
  calls = 0;
  await Promise.all(panes.map((pane) => stage.backend.ended(pane)));
  expect(calls).toBe(1);
  await stage.backend.refresh(facts.map((fact) => ({ ...fact, state: 'working', activity: 'Reading a.ts' })));
  expect(calls).toBe(2);
  const border = ['list-panes', '-a', '-F', '#{@troupe_agent} #{@troupe_state} #{@troupe_activity}'] as const;
  expect(await tmuxOf(stage)(border)).toContain('a working Reading a.ts');
});

test('starts that stand in line cost two calls each, one look and one arrangement, and stay in their order', async () => {
  const commands: string[] = [];
  const noting: typeof run = (file, args, options) => {
    commands.push(args[3] ?? '');
    return run(file, args, options);
  };
  await using stage = await ownServer({ options: { run: noting } });
  const names = ['a', 'b', 'c', 'd'];
  const launchFile = join(stage.dir, 'none.json');
  const starting = names.map((member) =>
    stage.backend.start({ team: 'red', member, cwd: stage.dir, launchFile, role: 'teammate' }),
  );
  const ids = (await Promise.all(starting)).map(({ paneId }) => Number(paneId.slice(1)));
  expect(commands).toEqual(['list-panes', ...names.flatMap(() => ['split-window', 'set-option']), 'select-layout']);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});

test('without news of a member, tmux is looked at again only after seconds: then what a person closed is made up for', async () => {
  let calls = 0;
  const counting: typeof run = (...given) => {
    calls++;
    return run(...given);
  };
  const clock = fakeClock();
  await using stage = await ownServer({ options: { run: counting, clock } });
  const names = ['a', 'b', 'c'];
  const panes = await Promise.all(names.map((name) => stage.start(name)));
  const facts = panes.map((pane, index) => ({ pane, member: names[index] ?? '', state: 'idle' }));
  await stage.backend.refresh(facts);
  await stage.backend.refresh(facts);
  await tmuxOf(stage)(['kill-pane', '-t', panes[1]?.paneId ?? '']);
  calls = 0;
  for (let second = 0; second < 2; second++) {
    await clock.pass(1000);
    await stage.backend.refresh(facts);
  }
  expect(calls).toBe(0);
  await clock.pass(1000);
  await stage.backend.refresh(facts);
  // The look, and the layout of those that are left.
  expect(calls).toBe(2);
  calls = 0;
  await stage.backend.refresh(facts.slice(1));
  expect(calls).toBe(1);
});

test('a member that is gone does not keep the borders of the others from being told', async () => {
  await using stage = await ownServer();
  const [a, b] = [await stage.start('a'), await stage.start('b')];
  const tell = (state: string) =>
    stage.backend.refresh([
      { pane: a, member: 'a', state },
      { pane: b, member: 'b', state },
    ]);
  await tell('idle');
  await tmuxOf(stage)(['kill-pane', '-t', a.paneId]);
  await tell('working');
  await tell('working');
  expect(await tmuxOf(stage)(['show-options', '-p', '-v', '-t', b.paneId, '@troupe_state'])).toEqual(['working']);
});
