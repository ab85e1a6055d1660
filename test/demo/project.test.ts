import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DEMO_BUGS, demoProject } from '../../src/app/demo/demoProject.js';
import { type DemoRepository, makeDemoRepository } from '../../src/app/demo/demoRepository.js';
import { run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { tempDir } from '../helpers/tempDir.js';

const TEN_SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);
const EVERY_BUG = Array.from({ length: DEMO_BUGS }, (_, index) => index);

/** Titles of the tests that fail. `node --test` in a child that must not take itself for a part of this run. */
async function failing(repository: DemoRepository, ...files: string[]): Promise<string[]> {
  const args = ['--test', '--test-reporter=tap', ...files];
  const { stdout } = await run('node', args, { cwd: repository.path, env: { PATH: process.env['PATH'] ?? '' } });
  expect(stdout).toMatch(/^# pass [1-9]/m);
  return [...stdout.matchAll(/^not ok \d+ - (.*)$/gm)].flatMap(([, title]) => title ?? []);
}

/** Its program with the right line in the place of the wrong one. */
function mended(seed: number): Record<string, string> {
  const { files, file, brokenLine, fixedLine } = demoProject(seed);
  const { 'ISSUE.md': _, ...program } = files;
  return { ...program, [file]: (files[file] ?? '').replace(`${brokenLine}\n`, `${fixedLine}\n`) };
}

test.each(TEN_SEEDS)('with seed %i exactly one test fails', async (seed) => {
  await using dir = await tempDir();
  const repository = await makeDemoRepository({ folder: join(dir.path, 'repository'), seed, run });
  expect(await failing(repository)).toEqual([repository.failingTest]);
});

test('no test fails once the line is right, whichever it was', async () => {
  await using dir = await tempDir();
  const repository = await makeDemoRepository({ folder: join(dir.path, 'repository'), seed: 1, run });
  const { [repository.file]: right = '' } = mended(1);
  await writeFile(join(repository.path, repository.file), right);
  expect(await failing(repository)).toEqual([]);
  for (const seed of EVERY_BUG) expect(mended(seed), String(seed)).toEqual(mended(1));
});

test('every bug there is fails the one test of its function', async () => {
  await using dir = await tempDir();
  await Promise.all(
    EVERY_BUG.map(async (seed) => {
      const folder = join(dir.path, String(seed));
      const repository = await makeDemoRepository({ folder, seed, run });
      const tests = repository.file.replace(/^src\/(.*)\.js$/, 'test/$1.test.js');
      expect(await failing(repository, tests)).toEqual([repository.failingTest]);
    }),
  );
}, 120_000);

test('a wrong line stands once in its file, so that it can be edited by its text', () => {
  for (const seed of EVERY_BUG) {
    const { files, file, brokenLine } = demoProject(seed);
    expect(files[file]?.split(brokenLine.trim())).toHaveLength(2);
  }
});

test('ten seeds in a row are ten functions in at least three files, and all bugs come before one comes again', () => {
  const projects = TEN_SEEDS.map(demoProject);
  expect(new Set(projects.map(({ functionName }) => functionName)).size).toBe(10);
  expect(new Set(projects.map(({ file }) => file)).size).toBeGreaterThanOrEqual(3);
  expect(new Set(EVERY_BUG.map((seed) => demoProject(seed).brokenLine)).size).toBe(DEMO_BUGS);
});

test('the same seed gives the same project, and any whole number is a seed', () => {
  expect(demoProject(7)).toEqual(demoProject(7));
  expect(demoProject(7 + DEMO_BUGS)).toEqual(demoProject(7));
  expect(demoProject(7 - DEMO_BUGS)).toEqual(demoProject(7));
  expect(() => demoProject(Number.NaN)).toThrow('NaN is no seed: it takes a whole number.');
});

test('the repository has one clean commit on main, whatever the person’s own git would do', async () => {
  await using dir = await tempDir();
  const hooks = join(dir.path, 'hooks');
  const config = join(dir.path, 'gitconfig');
  await run('mkdir', [hooks]);
  await writeFile(join(hooks, 'pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  await writeFile(
    config,
    `[core]\n\thooksPath = ${hooks}\n[commit]\n\tgpgsign = true\n[user]\n\tname = Somebody\n[init]\n\tdefaultBranch = trunk\n`,
  );
  const withConfig: typeof run = (file, args, options) =>
    run(file, args, { ...options, env: { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: config } });
  const { path } = await makeDemoRepository({ folder: join(dir.path, 'a', 'shop'), seed: 1, run: withConfig });
  const inside = git(run, path);
  expect(await inside('log', '--format=%an <%ae> %D')).toBe('Corner Shop <shop@example.invalid> HEAD -> main');
  expect(await inside('status', '--porcelain')).toBe('');
  expect(dirname(path)).toBe(join(dir.path, 'a'));
});
