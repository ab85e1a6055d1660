import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, live } from '../helpers/headless.js';
import { BIN, stage } from '../helpers/program.js';
import { terminal } from '../helpers/terminal.js';

test('a team may be left out where one runs or $TROUPE_TEAM says which; with two of them it has to be said; a terminal obeys nothing of what is shown', async () => {
  await using home = await stage('agents: { "*": [{ fault: { stream: hang, times: 9 }, reply: never }] }');
  await addTemplate(home, 'pair', '---\nname: pair\ndescription: x\nmembers: [{ name: bob }]\n---\nGo.\n');
  const status = async (env = {}) => {
    const { exitCode, stdout, stderr } = await home.troupe(['status', '-q'], { env: { ...home.env, ...env } });
    return exitCode === 0 ? stdout.replace(/:.*/, '') : `${exitCode} ${stderr}`;
  };
  expect(await status()).toBe('2 troupe: No team is running. Start one with: troupe up');
  await using _one = await live(home, ['run', 'pair', '--name', 'one']);
  await eventually(async () => expect(await status()).toBe('one'));
  await using _two = await live(home, ['run', 'pair', '--name', 'two']);
  await eventually(async () => expect(await status()).toBe('2 troupe: Which team? Say it with -t: one, two'));
  expect(await status({ TROUPE_TEAM: 'two' })).toBe('two');
  expect(
    (await home.troupe(['status', '-q', '-t', 'one'], { env: { ...home.env, TROUPE_TEAM: 'two' } })).stdout,
  ).toMatch(/^one:/);

  expect((await home.troupe(['send', 'bob', 'hid\x1b[2Jden', '-t', 'one'])).exitCode).toBe(0);
  await using shell = await terminal(home.env, home.folder);
  await shell.type(`${process.execPath} ${BIN} inbox bob -t one`);
  await eventually(async () => expect(await shell.screen()).toContain('hid\\x1b[2Jden'));
});

test('what does not go to a terminal has no escapes, whatever NO_COLOR and FORCE_COLOR say', async () => {
  await using home = await stage('agents: { "*": [{ reply: Noted. }] }');
  await addTemplate(home, 'pair', '---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Go. }]\n---\nGo.\n');
  for (const extra of [{}, { NO_COLOR: '1' }, { FORCE_COLOR: '1' }]) {
    const env = { ...home.env, ...extra };
    const commands = [
      ['run', 'pair', '--name', 'pair', '--keep'],
      ['status', '-t', 'pair'],
      ['ls'],
      ['logs', '-t', 'pair'],
      ['peek', 'bob', '-t', 'pair'],
      ['--help'],
      ['run', '--help'],
      ['sattus'],
      ['down', 'pair'],
    ];
    for (const args of commands) {
      const { stdout, stderr } = await home.troupe(args, { env });
      expect({ args, escapes: /\x1b/.test(stdout + stderr) }).toEqual({ args, escapes: false });
    }
  }
});
