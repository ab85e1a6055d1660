import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { junitXml, writeJUnit } from '../../src/report/junit.js';
import { casesOf } from '../helpers/junit.js';
import { tempDir } from '../helpers/tempDir.js';
import { reportOf } from './reports.js';

const AT = '2026-12-01T10:00:00.000Z';
const cases = (...args: Parameters<typeof reportOf>) => casesOf(junitXml(reportOf(...args), AT));

test('a run, each member and each task are a case each', () => {
  expect(cases()).toEqual([
    { suite: 'run', name: 'run', output: 'It is 42.' },
    { suite: 'members', name: 'team-lead', output: 'idle, 3 turns, $0.2000' },
    { suite: 'members', name: 'bob', output: 'idle, 1 turn, $0.0500\nI looked.' },
    { suite: 'tasks', name: '1 Dig' },
  ]);
});

test('what went wrong is a failure of the run, of who was not done, of what is open and of what was lost', () => {
  const failed = cases({
    is_error: true,
    subtype: 'error_timeout',
    errors: ['Too late.', 'bob: working'],
    members: [
      { name: 'team-lead', state: 'idle', turns: 1, costUsd: 0 },
      { name: 'ada', state: 'terminated', turns: 1, costUsd: 0 },
      { name: 'bob', state: 'working', activity: 'Bash', turns: 2, costUsd: 0 },
      { name: 'cem', state: 'idle', turns: 2, costUsd: 0 },
    ],
    tasks: [{ id: '1', subject: 'Dig', status: 'pending' }],
    worktrees: [{ member: 'cem', path: '/w/cem', branch: 'b', holds: ['all'], lost: true }],
  });
  const failures = failed.map(({ name, failure }) => [name, failure?.type, failure?.text]);
  expect(failures).toEqual([
    ['run', 'error_timeout', 'Too late.\nbob: working'],
    ['team-lead', undefined, undefined],
    ['ada', 'died', 'ada has died'],
    ['bob', 'unfinished', 'bob was not done: working (Bash), 2 turns, $0.0000'],
    ['cem', 'lost', '/w/cem\nall'],
    ['1 Dig', 'unfinished', 'Task 1 is pending, without an owner'],
  ]);
  expect(failed[0]?.output).toBe('It is 42.\nWorktree of cem, /w/cem, branch b: all');
});

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ']]>',
      '<![CDATA[',
      '&amp;',
      '<',
      '>',
      '&',
      '"',
      "'",
      '\n',
      '\r',
      '\t',
      '\0',
      '\x1b[31m',
      '\ud800',
      '\uffff',
      '😀',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
});

test('whatever members write, the report is well formed and says it', () => {
  fc.assert(
    fc.property(nasty, nasty, (name, words) => {
      const [run, member, task] = cases({
        is_error: true,
        errors: [words],
        result: words,
        members: [{ name: `m${name}`, state: 'idle', turns: 1, costUsd: 0, lastReport: words }],
        tasks: [{ id: '1', subject: name, status: 'pending', owner: words }],
      });
      const kept = (text: string) =>
        text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd');
      expect(member?.name).toBe(kept(`m${name}`));
      expect(run?.failure?.text ?? '').toBe(kept(words) || 'success');
      expect(task?.failure?.message).toContain(kept(words).slice(0, 100));
    }),
  );
});

test('a long text is cut and says so, never in the middle of a character', () => {
  const [run] = cases({ result: '😀'.repeat(20_000) });
  expect(run?.output).toMatch(/^(😀){10000}\n\[cut: 20000 more characters\]$/u);
});

test('a task has a name that a list can show, however long its subject', () => {
  const [, , , task] = cases({ tasks: [{ id: '1', subject: 'x'.repeat(1 << 20), status: 'completed' }] });
  expect(task?.name).toHaveLength(500);
});

test('the file is replaced whole, and one that cannot be written is named', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'report.xml');
  await writeJUnit(path, reportOf({ is_error: true }), AT);
  await writeJUnit(path, reportOf(), AT);
  expect(casesOf(await readFile(path, 'utf8')).filter(({ failure }) => failure)).toEqual([]);
  expect(await readdir(dir.path)).toEqual(['report.xml']);
  expect((await stat(path)).mode & 0o777).toBe(0o644);
  const nowhere = join(dir.path, 'no', 'report.xml');
  await expect(writeJUnit(nowhere, reportOf(), AT)).rejects.toThrow(`--junit: ${nowhere} cannot be written`);
});
