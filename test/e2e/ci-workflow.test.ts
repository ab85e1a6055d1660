import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { initRepo } from '../helpers/gitRepo.js';
import { casesOf } from '../helpers/junit.js';
import { type Stage, stage } from '../helpers/program.js';
import { tempDir } from '../helpers/tempDir.js';
import { PROJECT } from '../helpers/tmuxTeam.js';

const SCRIPT = fileURLToPath(new URL('ci-workflow.sh', import.meta.url));
const SHIPPED = ['src', 'bin', 'templates', 'build.js', 'package.json', 'LICENSE', 'tsconfig.json'];
// The packages and the build that are here already, so that no test needs a network.
const INSTALL = `ln -s ${join(PROJECT, 'node_modules')} node_modules && cp -r ${join(PROJECT, 'dist')} dist`;

let troupe = '';
const sources = await tempDir();

beforeAll(async () => {
  const repo = await initRepo(join(sources.path, 'troupe'));
  for (const name of SHIPPED) await cp(join(PROJECT, name), join(repo.path, name), { recursive: true });
  await repo.commit('.gitignore', 'node_modules\ndist\n');
  troupe = repo.path;
  return () => sources[Symbol.asyncDispose]();
});

async function workflow({ env, folder }: Stage) {
  const project = await initRepo(join(folder, 'project'));
  await project.commit('made.txt');
  const place = join(folder, 'runner');
  await mkdir(place);
  const ended = await run('sh', [SCRIPT, troupe, project.path, place], { env: { ...env, INSTALL }, timeout: 100_000 });
  const read = (name: string) => readFile(join(place, name), 'utf8');
  return { ...ended, cases: casesOf(await read('report.xml')), summary: await read('summary.md') };
}

test('the workflow of the README reviews a change in a fresh clone: exit code, report and summary', async () => {
  await using runner = await stage(`
agents:
  team-lead:
    - { when: { user: 'tests finds nothing' }, reply: The change is good. }
    - { reply: I wait. }
  security: [{ reply: security finds nothing. }]
  performance: [{ reply: performance finds nothing. }]
  tests:
    - { when: { turn: 1 }, reply: [{ tool: Bash, input: { command: git diff HEAD~1 } }] }
    - { when: { result: 'made.txt' }, reply: tests finds nothing. }
    - { reply: There is no difference. }
`);
  const { exitCode, stdout, stderr, cases, summary } = await workflow(runner);
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toBe('The change is good.');
  expect(stderr).toMatch(/^::notice title=troupe run-/m);
  expect(cases.map(({ name }) => name).toSorted()).toEqual(['performance', 'run', 'security', 'team-lead', 'tests']);
  expect(cases.filter(({ failure }) => failure)).toEqual([]);
  expect(summary).toContain('The change is good.');
});

test('the workflow fails where the key is refused, with a report and a summary that say so', async () => {
  await using runner = await stage(
    "agents: { '*': [{ fault: { status: 401, message: no such key, times: 99 }, reply: never }] }",
  );
  const { exitCode, stderr, cases, summary } = await workflow(runner);
  expect(exitCode, stderr).toBe(5);
  expect(stderr).toMatch(/^::error title=troupe run-.*no such key/m);
  expect(cases.find(({ name }) => name === 'run')?.failure?.text).toContain('no such key');
  expect(summary).toContain('no such key');
});

test('script and README run the same command', async () => {
  const command = /troupe\.js (run review .*--junit) \S+$/m;
  const ofScript = command.exec(await readFile(SCRIPT, 'utf8'))?.[1];
  const ofReadme = command.exec(await readFile(join(PROJECT, 'README.md'), 'utf8'))?.[1];
  expect(ofReadme?.replace('"base=origin/$BASE"', 'base=HEAD~1')).toBe(ofScript);
});
