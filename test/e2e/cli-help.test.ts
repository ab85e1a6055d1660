import { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { stage } from '../helpers/program.js';

const visible = Object.entries(COMMANDS).filter(([, { hidden }]) => hidden !== true);

test.each(visible)('troupe %s --help names each of its flags and commands, and does nothing', async (name, entry) => {
  await using empty = await stage();
  const program = new Command();
  (await entry.load()).register(program);
  const [command] = program.commands;
  const all = command ? [command, ...command.commands] : [];
  expect(all).not.toEqual([]);
  for (const one of all) {
    const words = one === command ? [name] : [name, one.name()];
    const { exitCode, stdout, stderr } = await empty.troupe([...words, '--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: troupe ${words.join(' ')}\\b`));
    for (const { long, hidden } of one.options) if (!hidden) expect(stdout).toContain(long);
    for (const sub of one.commands) expect(stdout).toMatch(new RegExp(`^  ${sub.name()}\\b`, 'm'));
  }
});

test('troupe --help, troupe help and troupe alone list every command but the hidden ones, and the exit codes', async () => {
  await using empty = await stage();
  const said = await Promise.all([['--help'], ['help'], []].map((args) => empty.troupe(args)));
  for (const { exitCode, stdout } of said) {
    expect(exitCode).toBe(0);
    expect(stdout).toBe(said[0]?.stdout);
  }
  const text = said[0]?.stdout ?? '';
  for (const [name, { hidden }] of Object.entries(COMMANDS)) {
    expect({ name, isListed: new RegExp(`^  ${name}\\b`, 'm').test(text) }).toEqual({
      name,
      isListed: hidden !== true,
    });
  }
  for (const code of [1, 2, 3, 4, 5, 75, 124, 130, 143]) expect(text).toMatch(new RegExp(`\\b${code} \\w`));
});
