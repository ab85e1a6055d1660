import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { annotations, appendSummary, summary } from '../../src/report/github.js';
import { tempDir } from '../helpers/tempDir.js';
import { reportOf } from './reports.js';

test('a run that is done is a notice, one that failed an error with what went wrong', () => {
  expect(annotations(reportOf())).toEqual(['::notice title=troupe red::The team is done.']);
  expect(annotations(reportOf({ is_error: true, subtype: 'error_timeout', errors: ['Too late.'] }))).toEqual([
    '::error title=troupe red%3A error_timeout::Too late.',
  ]);
});

test('a text cannot end its annotation and begin another command', () => {
  const errors = ['100% wrong:\r\n::add-mask::secret'];
  const [line = ''] = annotations(reportOf({ is_error: true, subtype: 'a,b:c', errors }));
  expect(line).toBe('::error title=troupe red%3A a%2Cb%3Ac::100%25 wrong:%0A::add-mask::secret');
});

test('a worktree that was kept is a notice, one that lost something an error', () => {
  const worktree = { member: 'bob', path: '/w', branch: 'b', holds: ['1 commit', '2 files'] };
  expect(annotations(reportOf({ worktrees: [worktree, { ...worktree, lost: true }] })).slice(1)).toEqual([
    '::notice title=Worktree of bob::/w, branch b: 1 commit; 2 files',
    '::error title=Worktree of bob::/w, branch b: 1 commit; 2 files',
  ]);
});

test('the summary has a row for each member and each task, and no text breaks out of its cell or its fence', () => {
  const text = summary(
    reportOf({
      result: 'Look:\n```\n# no heading\n```',
      tasks: [{ id: '1', subject: 'Dig | <b>deep</b>\n# x', status: 'pending' }],
    }),
  );
  expect(text).toBe(
    [
      '## troupe red: done',
      '61.2 s, $0.2500',
      '````text\nLook:\n```\n# no heading\n```\n````',
      '| member | state | turns | cost |\n|---|---|---|---|\n| team-lead | idle | 3 | $0.2000 |\n| bob | idle | 1 | $0.0500 |',
      '| task | subject | status | owner |\n|---|---|---|---|\n| 1 | Dig \\| \\<b\\>deep\\</b\\> # x | pending |  |',
      '',
    ].join('\n\n'),
  );
});

test('whatever is in a run, its summary is one that GitHub takes, and has nothing that a log obeys', () => {
  const long = '漢'.repeat(200_000);
  const rows = Array.from({ length: 2000 }, (_, id) => ({
    id: String(id),
    subject: long,
    status: 'pending' as const,
  }));
  const worktree = { member: long, path: long, branch: long, holds: [long] };
  const odd = 'a\ud800b\x1b[31m\0\x9bc';
  const report = reportOf({
    is_error: true,
    errors: [long, odd],
    result: `${odd}${'`'.repeat(200_000)}${long}`,
    tasks: [{ id: '1', subject: odd, status: 'pending' }, ...rows],
    worktrees: Array.from({ length: 500 }, () => worktree),
  });
  const text = summary(report);
  expect(Buffer.byteLength(text)).toBeLessThan(1 << 20);
  expect(text).toContain('… 1901 more');
  expect(text).toContain('| 1 | a\ufffdb\\\\x1b\\[31m\\\\x00\\\\x9bc | pending |  |');
  const lines = annotations({ ...report, errors: [odd], worktrees: [{ ...worktree, member: odd }] });
  expect(
    [text, ...lines].filter((shown) => !shown.isWellFormed() || /[\0-\x09\x0b-\x1f\x7f-\x9f]/.test(shown)),
  ).toEqual([]);
  expect(lines[0]).toContain('::a\ufffdb\\x1b[31m\\x00\\x9bc');
});

test('the summary goes behind what other steps have written', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'summary.md');
  await writeFile(path, 'before\n');
  await appendSummary(path, reportOf());
  expect(await readFile(path, 'utf8')).toMatch(/^before\n## troupe red: done\n/);
});
