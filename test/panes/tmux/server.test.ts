import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/host/clock.js';
import { run } from '../../../src/host/run.js';
import type { Pane } from '../../../src/panes/backend.js';
import { createTmuxBackend, type TmuxBackend, type TmuxBackendOptions } from '../../../src/panes/tmux/backend.js';
import { startOwnServer, type TmuxServerFacts, tmuxProbe, useServer } from '../../../src/panes/tmux/server.js';
import { createTmux } from '../../../src/panes/tmux/tmux.js';
import { UserError } from '../../../src/util/errors.js';
import { eventually } from '../../helpers/eventually.js';
import { tempDir } from '../../helpers/tempDir.js';
import { type TestServer, tmuxServer } from '../../helpers/tmuxServer.js';
import { environmentIn, ownServer, PROGRAM, processRef, type Stage, stageOn } from '../harness.js';

/** A team in the user's tmux, as `up` finds it in the first pane. */
async function inside(
  user: TestServer,
  { detach = false, options = {} }: { detach?: boolean; options?: Partial<TmuxBackendOptions> } = {},
): Promise<Stage<TmuxBackend> & { facts: TmuxServerFacts; leadPane?: Pane; dedicatedWindow: boolean }> {
  const dir = await tempDir();
  const environment = environmentIn(dir.path, user.environment);
  const found = await useServer({ environment, pane: user.pane, detach, run });
  const backend = createTmuxBackend({
    ...found,
    team: 'red',
    run,
    clock: systemClock,
    environment,
    program: PROGRAM,
    layout: 'panes',
    ...options,
  });
  return { ...stageOn(backend, dir.path, async () => dir[Symbol.asyncDispose]()), ...found };
}

/** Everything of a user's tmux that we have no business with. */
async function looks(user: TestServer) {
  const { tmux } = user;
  return {
    options: await tmux(['show-options', '-g'], ['show-options', '-g', '-w'], ['show-options', '-s']),
    hooks: await tmux(['show-hooks', '-g']),
    environment: await tmux(['show-environment', '-g']),
    session: await tmux(['show-options', '-t', user.session]),
    windows: await tmux([
      'list-windows',
      '-t',
      user.session,
      '-F',
      '#{window_id} #{window_index} #{window_name} #{window_active} #{window_layout}',
    ]),
    window: await tmux(['show-options', '-w', '-t', user.pane]),
    panes: await tmux([
      'list-panes',
      '-s',
      '-t',
      user.session,
      '-F',
      '#{pane_id} #{pane_title} #{pane_active} #{pane_pid}',
    ]),
  };
}

describe("in the user's tmux", () => {
  test('members are split beside a lead that is alone, without the focus, and everything is as it was afterwards', async () => {
    await using user = await tmuxServer({ width: 200, height: 50 });
    await user.tmux(['set-option', '-w', '-t', user.pane, 'pane-border-format', 'mine;']);
    const before = await looks(user);
    await using stage = await inside(user);
    expect(stage.dedicatedWindow).toBe(false);
    const panes = [];
    for (const name of ['a', 'b', 'c']) panes.push({ name, pane: await stage.start(name) });
    const windows = await user.tmux(['list-panes', '-a', '-F', '#{window_id} #{pane_active} #{pane_width}']);
    expect(windows).toEqual(['@0 1 80', '@0 0 119', '@0 0 119', '@0 0 119']);

    for (const { name, pane } of panes) await stage.backend.close(pane, { team: 'red', member: name });
    await stage.backend.restoreWindow();
    await stage.backend.closeServer();
    expect(await looks(user)).toEqual(before);
  });

  test("members get a window of their own beside other panes of the user's, whose layout nobody touches", async () => {
    await using user = await tmuxServer({ width: 200, height: 50 });
    await user.tmux(['split-window', '-d', '-t', user.pane, '--', 'cat', '-']);
    await user.tmux(['split-window', '-d', '-h', '-t', user.pane, '--', 'cat', '-']);
    const before = await looks(user);
    await using stage = await inside(user);
    expect(stage.dedicatedWindow).toBe(true);
    const panes = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => ({ name, pane: await stage.start(name) })),
    );
    await stage.backend.refresh(panes.map(({ name, pane }) => ({ pane, member: name, state: 'working' })));
    expect(new Set(panes.map(({ pane }) => pane.windowId))).toEqual(new Set(['@1']));
    const during = await looks(user);
    expect({ ...during, windows: during.windows.slice(0, 1), panes: during.panes.slice(0, 3) }).toEqual(before);

    await Promise.all(panes.map(({ name, pane }) => stage.backend.close(pane, { team: 'red', member: name })));
    await stage.backend.restoreWindow();
    expect(await looks(user)).toEqual(before);
  });

  test('with --detach the lead and its members get a window, and the pane of the user stays alone', async () => {
    await using user = await tmuxServer({ width: 200, height: 50 });
    await using stage = await inside(user, { detach: true });
    expect(stage.leadPane).toBeUndefined();
    const lead = await stage.start('team-lead', { role: 'lead' });
    const alice = await stage.start('alice');
    expect([lead.windowId, alice.windowId]).toEqual(['@1', '@1']);
    const rows = await user.tmux(['list-panes', '-a', '-F', '#{window_id} #{@troupe_agent} #{pane_left}']);
    expect(rows).toEqual(['@0  0', '@1 team-lead 0', '@1 alice 81']);
  });

  test('members go to the window of the lead, not to the one the user looks at', async () => {
    await using user = await tmuxServer({ width: 200, height: 50 });
    await user.tmux(['new-window', '-t', `${user.session}:`, '--', 'cat', '-']);
    await using stage = await inside(user);
    expect((await stage.start('alice')).windowId).toBe('@0');
    const active = await user.tmux(['list-windows', '-t', user.session, '-F', '#{window_id} #{window_active}']);
    expect(active).toEqual(['@0 0', '@1 1']);
  });

  test("a pane that the user opened among the members' survives, and the window is theirs from then on", async () => {
    await using user = await tmuxServer({ width: 200, height: 50 });
    await using stage = await inside(user);
    const alice = await stage.start('alice');
    await stage.ready('alice');
    const made = await user.tmux([
      'split-window',
      '-d',
      '-P',
      '-F',
      '#{pane_id}',
      '-t',
      alice.paneId,
      '--',
      'cat',
      '-',
    ]);
    const bob = await stage.start('bob');
    expect(bob.windowId).not.toBe(alice.windowId);
    await stage.backend.close(alice, { team: 'red', member: 'alice' });
    expect(await user.tmux(['list-panes', '-t', user.pane, '-F', '#{pane_id}'])).toEqual([user.pane, ...made]);
  });

  test('the window of members that the user closed by hand is opened again', async () => {
    await using user = await tmuxServer({ width: 200, height: 50 });
    await using stage = await inside(user, { options: { dedicatedWindow: true } });
    const alice = await stage.start('alice');
    await user.tmux(['kill-pane', '-t', alice.paneId]);
    await stage.start('bob');
    await stage.ready('bob');
  });

  test('nothing is started in the pane of the user, and it is never closed', async () => {
    await using user = await tmuxServer();
    await using stage = await inside(user);
    await expect(stage.start('team-lead', { role: 'lead' })).rejects.toThrow(/the user's pane/);
    await user.tmux(
      ['set-option', '-p', '-t', user.pane, '@troupe_team', 'red'],
      ['set-option', '-p', '-t', user.pane, '@troupe_agent', 'team-lead'],
    );
    if (stage.leadPane) await stage.backend.close(stage.leadPane, { team: 'red', member: 'team-lead' });
    expect(await user.tmux(['list-panes', '-a', '-F', '#{pane_id}'])).toEqual([user.pane]);
  });

  test('a tmux that does not know the pane is told apart from one that does', async () => {
    await using user = await tmuxServer();
    const environment = environmentIn('/nowhere', user.environment);
    const probe = tmuxProbe(run, environment);
    expect(await probe.answersForPane(user.pane)).toBe(true);
    expect(await probe.answersForPane('%99')).toBe(false);
    expect(await probe.tmuxVersion()).toMatch(/^tmux /);
    await expect(useServer({ environment, pane: '%99', detach: false, run })).rejects.toThrow(/no pane %99/);
    const gone = tmuxProbe(run, { ...environment, TMUX: '/nowhere/socket,1,0' });
    expect(await gone.answersForPane(user.pane)).toBe(false);
    expect(await tmuxProbe(run, { PATH: '/nowhere' }).tmuxVersion()).toBeUndefined();
  });
});

describe('a pane is closed only', () => {
  test('if its process is the recorded one', async () => {
    await using stage = await ownServer();
    const pane = await stage.start('alice');
    const { pid } = await stage.ready('alice');
    const process = await processRef(pid);
    for (const other of [
      { ...process, pid: pid + 1 },
      { ...process, procStart: 'earlier' },
    ]) {
      await stage.backend.close(pane, { team: 'red', member: 'alice', process: other });
      expect(await stage.backend.ended(pane)).toBeUndefined();
    }
    await stage.backend.close(pane, { team: 'red', member: 'alice', process });
    expect(await stage.backend.ended(pane)).toEqual({ code: null, signal: null, lastLines: '' });
  });

  test('on the recorded server: an id that means another pane on a later one is left alone', async () => {
    await using stage = await ownServer();
    const pane = await stage.start('alice');
    const { socketPath } = stage.facts;
    const tmux = createTmux(run, { socketPath });
    await tmux(['kill-server']);
    await eventually(async () => expect((await processRef(stage.facts.serverPid)).procStart).toBe('gone'));
    await tmux(
      ['new-session', '-d', '--', '/usr/bin/env', 'cat', '-'],
      ['split-window', '-d', '--', '/usr/bin/env', 'cat', '-'],
      ['set-option', '-p', '-t', pane.paneId, '@troupe_team', 'red'],
      ['set-option', '-p', '-t', pane.paneId, '@troupe_agent', 'alice'],
    );
    await stage.backend.close(pane, { team: 'red', member: 'alice' });
    await stage.backend.closeServer();
    expect(await stage.backend.ended(pane)).toEqual({ code: null, signal: null, lastLines: '' });
    expect(await tmux(['list-panes', '-a', '-F', '#{pane_id}'])).toContain(pane.paneId);
  });

  test('if it still carries the mark', async () => {
    await using stage = await ownServer();
    const pane = await stage.start('alice');
    await stage.ready('alice');
    const tmux = createTmux(run, { socketPath: stage.facts.socketPath });
    await tmux(['set-option', '-p', '-u', '-t', pane.paneId, '@troupe_agent']);
    await stage.backend.close(pane, { team: 'red', member: 'alice' });
    expect(await tmux(['list-panes', '-a', '-F', '#{pane_id}'])).toContain(pane.paneId);
  });
});

describe("a team's own server", () => {
  test('holds nothing but what a terminal needs in its environment', async () => {
    await using stage = await ownServer({ environment: { API_KEY: 's3cr3t', LC_CTYPE: 'C.UTF-8', TERM: 'xterm' } });
    const lines = await createTmux(run, { socketPath: stage.facts.socketPath })(['show-environment', '-g']);
    const names = lines.map((line) => line.split('=')[0]).sort();
    expect(names).toEqual(['HOME', 'LC_CTYPE', 'PATH', 'PWD', 'TERM', 'TMUX_TMPDIR']);
  });

  test('is 200 by 50 with one empty pane, and the lead is started in exactly that', async () => {
    await using stage = await ownServer({ config: 'set -g prefix C-a\n' });
    const lead = await stage.start('team-lead', { role: 'lead' });
    expect(lead).toEqual(stage.leadPane);
    expect((await stage.ready('team-lead')).argv[0]).toBe('lead');
    const tmux = createTmux(run, { socketPath: stage.facts.socketPath });
    expect(await tmux(['list-panes', '-a', '-F', '#{window_width}x#{window_height}'])).toEqual(['200x50']);
    expect(await tmux(['show-options', '-g', '-v', 'prefix'])).toEqual(['C-a']);
  });

  test('ends with its team, its socket too, and twice is once', async () => {
    await using stage = await ownServer();
    await stage.start('alice');
    await stage.backend.closeServer();
    expect(existsSync(stage.facts.socketPath)).toBe(false);
    expect((await processRef(stage.facts.serverPid)).procStart).toBe('gone');
    await stage.backend.closeServer();
  });

  test('leaves that of a team with a longer name alone', async () => {
    await using one = await ownServer({ team: 'team-1' });
    const environment = one.environment;
    const ten = await startOwnServer({ team: 'team-10', home: one.dir, run, clock: systemClock, environment });
    await one.backend.closeServer();
    const tmux = createTmux(run, { socketPath: ten.facts.socketPath });
    expect(await tmux(['list-sessions', '-F', '#{session_name}'])).toEqual(['team-10']);
    await tmux(['kill-server']);
  });

  test('takes the place of what a killed start left, but not of members that live', async () => {
    await using stage = await ownServer();
    const again = () =>
      startOwnServer({ team: 'red', home: stage.dir, run, clock: systemClock, environment: stage.environment });
    const { facts } = await again();
    expect(facts.serverPid).not.toBe(stage.facts.serverPid);
    const program = [...PROGRAM];
    const { environment } = stage;
    const options = { team: 'red', run, clock: systemClock, environment, program, layout: 'panes' } as const;
    const second = stageOn(createTmuxBackend({ ...options, facts }), stage.dir, async () => {});
    await second.start('alice');
    await second.ready('alice');
    await expect(again()).rejects.toThrow(UserError);
    await expect(again()).rejects.toThrow(/still runs alice/);
  });

  test('says how to look at it, by name from outside and by a switch from inside', async () => {
    await using stage = await ownServer({ team: 'a.b' });
    const { socketPath } = stage.facts;
    expect(stage.backend.attachCommand()).toEqual(
      ['tmux', '-u', '-S', socketPath, 'attach-session', '-t', '=a_b'], // biome-ignore format: one line
    );
    const pane = await stage.start('alice');
    expect(stage.backend.attachCommand(pane).slice(4, 12)).toEqual(
      ['select-window', '-t', pane.paneId, ';', 'select-pane', '-t', pane.paneId, ';'], // biome-ignore format: one line
    );
    const within = createTmuxBackend({
      facts: stage.facts,
      team: 'a.b',
      run,
      clock: systemClock,
      environment: { ...stage.environment, TMUX: `${socketPath},1,0` },
      program: PROGRAM,
      layout: 'panes',
    });
    expect(within.attachCommand()).toContain('switch-client');
    const [file = '', ...args] = within.attachCommand();
    // Without a client to switch, tmux at least has to understand every word before that.
    expect((await run(file, args)).stderr).toMatch(/no current client|can't find client/);
  });

  test.each([
    ['tmux 2.9', /tmux 2\.9; troupe needs tmux 3\.0/],
    [undefined, /no tmux on the PATH/],
  ])('is refused with a tmux that says %j', async (version, words) => {
    await using dir = await tempDir();
    const shim: typeof run = async (file, args, options) => {
      if (args[0] !== '-V') return run(file, args, options);
      if (version === undefined) throw new Error('spawn tmux ENOENT');
      return { exitCode: 0, stdout: version, stderr: '' };
    };
    const start = startOwnServer({
      team: 'red',
      home: dir.path,
      run: shim,
      clock: systemClock,
      environment: environmentIn(dir.path),
    });
    await expect(start).rejects.toThrow(words);
  });
});
