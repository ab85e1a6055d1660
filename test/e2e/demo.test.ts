import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import * as z from 'zod/mini';
import { demoProject } from '../../src/app/demoProject.js';
import { type RunResult, run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { tempDir } from '../helpers/tempDir.js';

const program = fileURLToPath(new URL('../../bin/troupe.js', import.meta.url));
const script = fileURLToPath(new URL('../../templates/scripts/feature.yaml', import.meta.url));
const Session = z.object({ agent: z.string(), team: z.string(), cwd: z.string() });

/** `troupe demo` without a terminal, in an environment that has nothing in it but a PATH. Everything it makes is in `folder`. */
function demo(folder: string, ...args: string[]): Promise<RunResult> {
  return run('node', [program, 'demo', ...args], { cwd: folder, env: environment(folder) });
}

const environment = (folder: string) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  TMPDIR: folder,
  TROUPE_HOME: join(folder, 'home'),
});

async function filesNamed(name: string, folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.name === name).map((entry) => join(entry.parentPath, name));
}

/** The repository that a demo left, and what its own test says. */
async function repositoryIn(folder: string) {
  const found = (await filesNamed('ISSUE.md', folder)).filter((path) => !path.includes('/.claude/'));
  expect(found).toHaveLength(1);
  const path = dirname(found[0] ?? '');
  const { exitCode } = await run('npm', ['test'], { cwd: path, env: environment(folder) });
  return { path, git: git(run, path), passes: exitCode === 0 };
}

/** Every agent of the team with its folder and its whole transcript. */
async function agentsIn(folder: string) {
  const files = await filesNamed('session.json', join(folder, 'home'));
  return Promise.all(
    files.map(async (file) => ({
      ...Session.parse(JSON.parse(await readFile(file, 'utf8'))),
      transcript: await readFile(join(dirname(file), 'transcript.jsonl'), 'utf8'),
    })),
  );
}

test.each([1, 2, 3])(
  'with seed %i the implementer’s commit mends the one wrong line, and the lead merges it',
  async (seed) => {
    await using dir = await tempDir();
    const { exitCode, stdout, stderr } = await demo(dir.path, '--seed', String(seed));
    expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
    const repository = await repositoryIn(dir.path);
    expect(repository.passes).toBe(true);

    const { file, brokenLine, fixedLine } = demoProject(seed);
    const changed = await repository.git('diff', '--unified=0', 'HEAD^1', 'HEAD');
    expect(changed.split('\n').filter((line) => /^[+-]/.test(line))).toEqual([
      `--- a/${file}`,
      `+++ b/${file}`,
      `-${brokenLine}`,
      `+${fixedLine}`,
    ]);
    const commit = await repository.git('rev-parse', 'HEAD^2');
    expect(await repository.git('rev-parse', 'HEAD^2^')).toBe(await repository.git('rev-parse', 'HEAD^1'));

    const agents = await agentsIn(dir.path);
    expect(agents.map(({ agent }) => agent).sort()).toEqual(['implementer', 'planner', 'reviewer', 'team-lead']);
    const committers = agents.filter(({ transcript }) => new RegExp(`"\\[\\S+ ${commit.slice(0, 7)}`).test(transcript));
    expect(committers).toEqual([expect.objectContaining({ agent: 'implementer' })]);
    expect(committers[0]?.cwd).toContain('/.claude/worktrees/');
  },
);

test('a script without its edit leaves the test failing, and the demo says so with its exit code', async () => {
  await using dir = await tempDir();
  const document = parseDocument(await readFile(script, 'utf8'));
  const rules = z.array(z.object({ name: z.string() })).parse(document.toJS().agents.implementer);
  document.deleteIn(['agents', 'implementer', rules.findIndex(({ name }) => name === 'edit')]);
  const withoutEdit = join(dir.path, 'without-edit.yaml');
  await writeFile(withoutEdit, String(document));

  const { exitCode } = await demo(dir.path, '--seed', '1', '--script', withoutEdit);
  expect(exitCode).not.toBe(0);
  const repository = await repositoryIn(dir.path);
  expect(repository.passes).toBe(false);
  expect(await repository.git('rev-list', '--count', '--all')).toBe('1');
});
