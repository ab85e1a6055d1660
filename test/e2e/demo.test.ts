import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import * as z from 'zod/mini';
import { demoProject } from '../../src/app/demo/demoProject.js';
import { run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { pathWithoutTmux } from '../helpers/program.js';
import { tempDir } from '../helpers/tempDir.js';

const program = fileURLToPath(new URL('../../bin/troupe.js', import.meta.url));
const script = fileURLToPath(new URL('../../templates/scripts/feature.yaml', import.meta.url));
const Outcome = z.object({ repository: z.string(), home: z.string(), testPassed: z.boolean() });
const Session = z.object({ agent: z.string(), cwd: z.string() });

/** `troupe demo` without a terminal, with nothing in its environment but a PATH. All that it makes is in `folder`. */
async function demo(folder: string, path: string, ...args: string[]) {
  const env = { PATH: path, HOME: folder, TMPDIR: folder };
  const { exitCode, stdout, stderr } = await run('node', [program, 'demo', '--json', ...args], { cwd: folder, env });
  expect(stdout, stderr).not.toBe('');
  const { repository, home, testPassed } = Outcome.parse(JSON.parse(stdout));
  // The program's word for it is not taken: the repository's own test decides.
  const passes = (await run('npm', ['test'], { cwd: repository, env })).exitCode === 0;
  expect(testPassed).toBe(passes);
  return { exitCode, stderr, passes, git: git(run, repository), sessions: join(home, 'sessions') };
}

/** Every agent of the team with its folder and its whole transcript. */
async function agentsIn(sessions: string) {
  return Promise.all(
    (await readdir(sessions)).map(async (id) => ({
      ...Session.parse(JSON.parse(await readFile(join(sessions, id, 'session.json'), 'utf8'))),
      transcript: await readFile(join(sessions, id, 'transcript.jsonl'), 'utf8'),
    })),
  );
}

const PATH = process.env['PATH'] ?? '';

test.each([
  { seed: 1, tmux: 'tmux' },
  { seed: 2, tmux: 'no tmux' },
])(
  'with seed $seed and $tmux on the PATH the implementer’s commit mends the one wrong line, and the lead merges it',
  async ({ seed, tmux }) => {
    await using dir = await tempDir();
    const path = tmux === 'tmux' ? PATH : await pathWithoutTmux(join(dir.path, 'bin'));
    const { exitCode, stderr, passes, git: inside, sessions } = await demo(dir.path, path, '--seed', String(seed));
    expect({ exitCode, passes }, stderr).toEqual({ exitCode: 0, passes: true });

    const { file, brokenLine, fixedLine } = demoProject(seed);
    const changed = await inside('diff', '--unified=0', 'HEAD^1', 'HEAD');
    expect(changed.split('\n').filter((line) => /^[+-]/.test(line))).toEqual([
      `--- a/${file}`,
      `+++ b/${file}`,
      `-${brokenLine}`,
      `+${fixedLine}`,
    ]);
    const commit = await inside('rev-parse', 'HEAD^2');
    expect(await inside('rev-parse', 'HEAD^2^')).toBe(await inside('rev-parse', 'HEAD^1'));

    const agents = await agentsIn(sessions);
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

  const { exitCode, passes, git: inside } = await demo(dir.path, PATH, '--seed', '1', '--script', withoutEdit);
  expect({ exitCode, passes }).toEqual({ exitCode: 1, passes: false });
  expect(await inside('rev-list', '--count', '--all')).toBe('1');
});
