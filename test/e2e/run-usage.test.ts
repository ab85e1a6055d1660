import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { heardBy, resultOf } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';
import { checkerOf } from '../helpers/schemas.js';

const SAYS = 'agents: { "*": [{ reply: Noted. }] }';
const checkResult = await checkerOf('result');

test.each([
  {
    what: 'no prompt',
    args: [],
    says: /There is nothing to do: say behind "run" what the team is for, or pipe it in\./,
  },
  { what: 'an empty prompt', args: [''], says: /nothing to do/ },
  { what: 'a blank prompt', args: ['  \n '], says: /nothing to do/ },
  { what: 'a blank prompt on stdin', args: [], input: ' \n\n', says: /nothing to do/ },
  { what: 'an unknown flag', args: ['x', '--tiemout', '5s'], says: /--tiemout.*Did you mean "?--timeout/s },
  { what: 'a flag without its value', args: ['x', '--timeout'], says: /--timeout <duration>.*argument missing/ },
  { what: 'a duration that is none', args: ['x', '--timeout', 'soon'], says: /30m/ },
  { what: 'turns that are none', args: ['x', '--max-turns', '0'], says: /whole number from 1/ },
  { what: 'an amount that is none', args: ['x', '--max-budget-usd', '-1'], says: /amount in US dollars/ },
  { what: 'an unknown backend', args: ['x', '--backend', 'screen'], says: /in-process/ },
  { what: 'a backend for a person', args: ['x', '--backend', 'iterm2'], says: /iterm2 is for "troupe up"/ },
  { what: 'an unknown mode', args: ['x', '--permission-mode', 'yolo'], says: /bypassPermissions/ },
  { what: 'an unknown template', args: ['--template', 'reveiw'], says: /Did you mean "review"\?/ },
  { what: 'a variable without a template', args: ['x', '--set', 'a=b'], says: /--set/ },
  { what: 'settings that are not there', args: ['x', '--settings', 'no.json'], says: /--settings: there is no file/ },
  { what: 'agents that are no JSON', args: ['x', '--agents', '{'], says: /--agents cannot be used/ },
  { what: 'a schema that is not there', args: ['x', '--json-schema', 'no.json'], says: /--json-schema cannot be read/ },
  { what: 'a report in no folder', args: ['x', '--junit', 'no/j.xml'], says: /--junit: no\/j\.xml cannot be written/ },
])('wrong usage is 2, one line, and a result where one was asked for: $what', async ({ args, input = '', says }) => {
  await using empty = await stage(SAYS);
  const json = await empty.troupe(['run', '--output-format', 'json', ...args], { input });
  expect(json.exitCode, json.stderr).toBe(2);
  expect(json.stderr).toMatch(says);
  expect(json.stderr.trimEnd().split('\n'), json.stderr).toHaveLength(1);
  checkResult(resultOf(json));
  expect(resultOf(json)).toMatchObject({ is_error: true, errors: [expect.stringMatching(says)] });
  expect(empty.server.log()).toEqual([]);
});

test('wrong usage has no result where none was asked for', async () => {
  await using empty = await stage(SAYS);
  const { exitCode, stdout, stderr } = await empty.troupe(['run']);
  expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 2, stdout: '' });
});

test('an unknown --output-format is wrong usage, with those that there are', async () => {
  await using empty = await stage(SAYS);
  const { exitCode, stdout, stderr } = await empty.troupe(['run', 'x', '--output-format', 'yaml']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/text, json, stream-json/);
});

test('a huge prompt on stdin arrives as its beginning, with the file that holds all of it', async () => {
  await using alone = await stage(SAYS);
  const input = `first ${'word '.repeat(100_000)} last`;
  const ended = await alone.troupe(['run', '--keep'], { input, timeout: 100_000 });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [heard = ''] = heardBy(alone, 'team-lead');
  expect(heard).toContain(input.slice(0, 1000));
  const [, path = ''] = /The whole message: ([^\]]+)\]/.exec(heard) ?? [];
  expect(await readFile(path, 'utf8')).toBe(input);
});
