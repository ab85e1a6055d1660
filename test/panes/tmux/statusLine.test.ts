import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/host/clock.js';
import { run } from '../../../src/host/run.js';
import { createTmuxBackend } from '../../../src/panes/tmux/backend.js';
import { createStatusLines } from '../../../src/panes/tmux/statusLine.js';
import { styledLines } from '../../../src/util/styledText.js';
import { eventually } from '../../helpers/eventually.js';
import { tempDir } from '../../helpers/tempDir.js';
import { tmuxServer } from '../../helpers/tmuxServer.js';
import { ownServer } from '../harness.js';

/** A server with somebody attached to it, and what that terminal shows. */
async function attached() {
  const server = await tmuxServer({ width: 70, height: 12 });
  const outer = await tmuxServer({ width: 70, height: 12 });
  const client = ['env', '-u', 'TMUX', 'tmux', '-u', '-S', server.socketPath, 'attach-session'] as const;
  await outer.tmux(['respawn-pane', '-k', '-t', outer.pane, '--', ...client]);
  await eventually(async () => expect(await server.tmux(['list-clients'])).toHaveLength(1));
  return {
    server,
    show: createStatusLines(server.tmux, server.session),
    option: async (name: string) => (await server.tmux(['show-options', '-q', '-v', '-t', server.session, name]))[0],
    screen: (...flags: string[]) => outer.tmux(['capture-pane', '-p', ...flags, '-t', outer.pane]),
    async [Symbol.asyncDispose]() {
      await outer[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('lines stand below the status line of the user, with their colours', async () => {
  await using at = await attached();
  await at.show(styledLines('\x1b[31mred\x1b[0m plain\n\x1b[48;2;1;2;3mdeep', 3));
  await eventually(async () => {
    const lines = await at.screen('-e');
    expect(lines.at(-3)).toContain('0:');
    expect(lines.at(-2)).toMatch(/^\x1b\[31m(\x1b\[49m)?red\x1b\[39m plain/);
    expect(lines.at(-1)).toContain('\x1b[48;2;1;2;3mdeep');
  });
});

test('nothing that is printed is a format, a style or a command of tmux: it stands there as it is', async () => {
  await using dir = await tempDir();
  await using at = await attached();
  const bad = `#(touch ${dir.path}/ran) #{pid} ##{pid} %H #[fg=red]a ##[x] #,;`;
  await at.show(styledLines(`${bad}\n-x\n\x1b[1m#\x1b[0m[b;`, 3));
  await eventually(async () => {
    const lines = await at.screen('-J');
    expect(lines.at(-1)?.trimEnd()).toBe('#[b;');
    expect(lines.at(-2)?.trimEnd()).toBe('-x');
    expect(lines.at(-3)?.slice(0, 40)).toBe(bad.slice(0, 40));
  });
  await at.show(styledLines('#[fg=red]a ##[x] # ###[y] #(z) #\x1b[1m#', 3));
  await eventually(async () => expect((await at.screen()).at(-3)?.trimEnd()).toBe('#[fg=red]a ##[x] # ###[y] #(z) ##'));
  expect(existsSync(join(dir.path, 'ran'))).toBe(false);
});

test('once there, a line stays when nothing is to be said; without any the status line is as it was', async () => {
  await using at = await attached();
  await at.show(styledLines('one\ntwo', 3));
  expect(await at.option('status')).toBe('3');
  await at.show([[]]);
  expect(await at.option('status')).toBe('3');
  await eventually(async () => expect((await at.screen()).join('\n')).not.toMatch(/one|two/));
  await at.show([]);
  expect(await at.option('status')).toBeUndefined();
  await at.show(styledLines('three', 3));
  await eventually(async () => expect((await at.screen()).at(-1)).toContain('three'));
  expect(await at.option('status')).toBe('2');
});

test.each([
  ['off', 'on', 'status-format[0]'],
  ['3', '4', 'status-format[3]'],
  ['5', '5', 'status-format[4]'],
])('where the user has status %s it becomes %s', async (before, after, row) => {
  await using server = await tmuxServer();
  await server.tmux(['set-option', '-g', 'status', before]);
  await createStatusLines(server.tmux, server.session)(styledLines('x', 3));
  const option = async (...name: string[]) => (await server.tmux(['show-options', '-v', ...name]))[0];
  expect(await option('-t', server.session, 'status')).toBe(after);
  expect(await option('-g', row)).toContain('@troupe_status_0');
});

test('long and many-coloured lines are not too much for one call', async () => {
  await using server = await tmuxServer();
  const line = Array.from(
    { length: 60 },
    (_, at) => `\x1b[1;3;4;9;38;2;${at};99;99;48;2;99;99;${at}m${'é€😀'.repeat(5)}`,
  ).join('');
  await createStatusLines(server.tmux, server.session)(styledLines(`${line}\n${line}\n${line}`, 3));
  expect(await server.tmux(['show-options', '-v', '-t', server.session, '@troupe_status_2'])).toHaveLength(1);
});

test('a backend has a status line on a server of ours only, and says nothing to one that is gone', async () => {
  await using stage = await ownServer();
  await stage.backend.statusLine?.(styledLines('x', 3));
  await stage.backend.closeServer();
  await stage.backend.statusLine?.(styledLines('y', 3));
  expect(stage.backend.statusLine).toBeDefined();
  const { facts, environment } = stage;
  const ofUser = { team: 'red', run, clock: systemClock, environment, program: [], layout: 'panes' } as const;
  expect(createTmuxBackend({ ...ofUser, facts: { ...facts, ownsServer: false } }).statusLine).toBeUndefined();
});
