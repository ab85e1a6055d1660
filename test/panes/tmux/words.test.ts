import { describe, expect, test } from 'vitest';
import { run } from '../../../src/host/run.js';
import { paneArgv } from '../../../src/panes/tmux/argv.js';
import { borderChanges } from '../../../src/panes/tmux/borders.js';
import { joinCommands } from '../../../src/panes/tmux/commands.js';
import {
  isAtLeast,
  parseCapture,
  parseEnvironmentNames,
  parseVersion,
  signalName,
  versionProblem,
} from '../../../src/panes/tmux/parse.js';
import { socketName } from '../../../src/panes/tmux/server.js';
import { classify, createTmux } from '../../../src/panes/tmux/tmux.js';
import { tmuxServer } from '../../helpers/tmuxServer.js';

test('a semicolon at the end of an argument does not end the command', () => {
  expect(
    joinCommands([
      ['send-keys', '-l', 'echo hi;'],
      ['send-keys', 'Enter'],
    ]),
  ).toEqual(
    ['send-keys', '-l', 'echo hi\\;', ';', 'send-keys', 'Enter'], // biome-ignore format: one line
  );
});

test.each([
  ['tmux 3.3a', { major: 3, minor: 3 }],
  ['tmux next-3.5', { major: 3, minor: 5 }],
  ['3.0-rc4', { major: 3, minor: 0 }],
  ['tmux 2.9', { major: 2, minor: 9 }],
  ['tmux 3.10', { major: 3, minor: 10 }],
  ['tmux openbsd-7.4', { major: 99, minor: 0 }],
  ['tmux master', { major: 99, minor: 0 }],
])('the version in %j is read', (words, version) => {
  expect(parseVersion(words)).toEqual(version);
});

test('a version counts its minor number as a number, and an old one is named', () => {
  expect(isAtLeast(parseVersion('3.10'), { major: 3, minor: 2 })).toBe(true);
  expect(isAtLeast(parseVersion('3.1'), { major: 3, minor: 2 })).toBe(false);
  expect(versionProblem('tmux 2.9a')).toBe('This is tmux 2.9a; troupe needs tmux 3.0 or later.');
  expect(versionProblem('tmux 3.0')).toBeUndefined();
});

test('a pane that is gone is told apart from a server that is gone, and both in the words of tmux', async () => {
  const server = await tmuxServer();
  await expect(server.tmux(['kill-pane', '-t', '%99'])).rejects.toMatchObject({
    failure: 'gone',
    message: "tmux kill-pane: can't find pane: %99",
  });
  await expect(server.tmux(['no-such-command'])).rejects.toMatchObject({ failure: 'refused' });
  await server[Symbol.asyncDispose]();
  await expect(server.tmux(['list-panes', '-a'])).rejects.toMatchObject({ failure: 'no-server' });
  const nowhere = createTmux(run, { socketPath: '/nowhere/socket' });
  await expect(nowhere(['list-panes', '-a'])).rejects.toMatchObject({ failure: 'no-server' });
});

test.each([
  ['no server running on /tmp/tmux-0/x', 'no-server'],
  ['server exited unexpectedly', 'no-server'],
  ['no current target', 'no-server'],
  ['lost server', 'no-server'],
  ["can't find session: =red", 'gone'],
  ['no such session: =red', 'gone'],
  ['duplicate session: red', 'duplicate'],
  ['create pane failed: pane too small', 'no-space'],
  ['no space for new pane', 'no-space'],
  ['command too long', 'refused'],
] as const)('%j means %s', (words, failure) => {
  expect(classify(words)).toBe(failure);
});

test('an environment is read for its names, with values of several lines and removed names', () => {
  const lines = ['HOME=/root', '-DISPLAY', 'FUNC=() {', '  x', '}', 'BASH_FUNC_f%%=() {', 'EMPTY='];
  expect(parseEnvironmentNames(lines)).toEqual(['HOME', 'FUNC', 'BASH_FUNC_f%%', 'EMPTY']);
});

test('signals have their names, however tmux says them', () => {
  expect([signalName('9'), signalName('TERM'), signalName('SIGHUP'), signalName('')]).toEqual(
    ['SIGKILL', 'SIGTERM', 'SIGHUP', null], // biome-ignore format: one line
  );
});

test("last words have neither empty lines at their end nor tmux's own note", () => {
  expect(parseCapture(['boom  ', '', 'x', '', 'Pane is dead (status 1, Tue Dec  1)', ''])).toEqual(['boom', '', 'x']);
});

describe('the command of a pane', () => {
  const facts = { program: ['node', 't.js'], role: 'teammate', launchFile: '/l.json', launchId: 'bob@red:2' } as const;
  const argv = (environment: Record<string, string>, serverNames: string[]) =>
    paneArgv({ ...facts, environment, serverNames });

  test('unsets what only the server has, sets what is read before the first line, and holds nothing else', () => {
    const environment = { PATH: '/bin', API_KEY: 's3cr3t', NODE_OPTIONS: '--no-warnings', LC_ALL: 'C', LD_PRELOAD: '' };
    expect(argv(environment, ['PATH', 'OLD', 'NODE_OPTIONS', 'NODE_PATH', 'TERM', 'TMUX', 'OLD'])).toEqual([
      '/usr/bin/env',
      ...['-u', 'OLD', '-u', 'NODE_PATH'],
      ...['NODE_OPTIONS=--no-warnings', 'LC_ALL=C', 'LD_PRELOAD=', 'TROUPE_LAUNCH=bob@red:2'],
      ...['node', 't.js', 'teammate', '--launch', '/l.json'],
    ]);
  });
});

describe('a border', () => {
  const facts = { pane: { paneId: '%1', ownsPane: true }, member: 'alice', color: 'purple', state: 'working' };

  test('is told only what it does not show yet, and only on a pane that is there', () => {
    const first = borderChanges([facts], new Map(), new Set(['%1']));
    expect(first.commands).toContainEqual(['set-option', '-p', '-t', '%1', '@troupe_color', 'magenta']);
    expect(borderChanges([facts], first.shown, new Set(['%1'])).commands).toEqual([]);
    expect(borderChanges([{ ...facts, state: 'idle' }], first.shown, new Set(['%1'])).commands).toEqual([
      ['set-option', '-p', '-t', '%1', '@troupe_state', 'idle'],
    ]);
    expect(borderChanges([facts], new Map(), new Set()).commands).toEqual([]);
  });

  test('shows an activity as text, never as a style', () => {
    const { shown } = borderChanges([{ ...facts, activity: '#[fg=red]\nx' }], new Map(), new Set(['%1']));
    expect(shown.get('%1 @troupe_activity')).toBe('##[fg=red] x');
  });

  test('of a hundred members does not make a call longer than tmux takes', () => {
    const members = Array.from({ length: 100 }, (_, index) => ({
      ...facts,
      pane: { paneId: `%${index}`, ownsPane: true },
      activity: 'Reading a file with quite a long name',
    }));
    const { commands } = borderChanges(members, new Map(), new Set(members.map(({ pane }) => pane.paneId)));
    expect(commands.flat().join(' ').length).toBeLessThan(12_000);
  });
});

test('the name of a server is safe, short, and the same only for one team of one home', () => {
  const name = socketName('équipe.rouge-'.repeat(4), '/home/a');
  expect(name).toMatch(/^troupe-[\w-]{1,24}-[0-9a-f]{8}$/);
  const names = [socketName('a.b', '/h'), socketName('a_b', '/h'), socketName('a.b', '/i')];
  expect(new Set(names).size).toBe(3);
  expect(socketName('Red', '/h').slice(-8)).toBe(socketName('red', '/h').slice(-8));
});
