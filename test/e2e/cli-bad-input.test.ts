import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { initRepo } from '../helpers/gitRepo.js';
import { addTemplate, type Live, live } from '../helpers/headless.js';
import { listing } from '../helpers/listing.js';
import { pathWithoutTmux, type Stage, stage } from '../helpers/program.js';
import { IN_A_TEAM, type Refusal, STARTS, WORDS } from '../helpers/refusals.js';

const PROJECT_FILES: Readonly<Record<string, string>> = {
  '.claude/teams/broken.md': '---\nname: broken\ndescription: x\nmembrs: []\n---\nGo.\n',
  '.claude/teams/star.md': '---\nname: star\ndescription: x\nmembers: [{ name: "*" }]\n---\nGo.\n',
  '.claude/teams/ghost.md': '---\nname: ghost\ndescription: x\nmembers: [{ name: bob, agent: ghost }]\n---\nGo.\n',
  '.claude/agents/ghost.md': '---\nname: ghost\ndescription: [\n---\nBe a ghost.\n',
};

const Member = z.looseObject({ name: z.string() });
const Status = z.object({ members: z.array(z.object({ name: z.string(), pid: z.number() })) });

interface Scene extends Stage {
  readonly project: string;
  /** A PATH with everything on it but tmux. */
  readonly withoutTmux: string;
}

async function scene(): Promise<Scene> {
  const own = await stage(
    'agents: { team-lead: [{ fault: { stream: hang, times: 99 }, reply: never }], "*": [{ reply: Noted. }] }',
  );
  const project = join(own.folder, 'project');
  await initRepo(project);
  for (const [path, text] of Object.entries(PROJECT_FILES)) {
    await mkdir(join(project, path, '..'), { recursive: true });
    await writeFile(join(project, path), text);
  }
  return { ...own, project, withoutTmux: await pathWithoutTmux(join(own.folder, 'bin')) };
}

async function expectRefusal(at: Scene, { args, says, exitCode = 2, env = {} }: Refusal, pid = ''): Promise<void> {
  // Living members beat in their records and look for tasks under the list's lock.
  const isAlive = (line: string) => /^[^:]*\/run\/[^/:]*\.json|^[^:]*\.lock$/.test(line);
  const state = async () => (await listing(at.home, at.project, at.env['HOME'] ?? '')).filter((line) => !isAlive(line));
  const before = await state();
  const variables = Object.entries({ ...at.env, ...env }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value === 'NO_TMUX' ? at.withoutTmux : value]],
  );
  const ended = await at.troupe(args, { cwd: at.project, env: Object.fromEntries(variables), timeout: 100_000 });
  expect({ ...ended, stderr: ended.stderr.replaceAll(at.project, 'PROJECT') }).toEqual({
    stderr: `troupe: ${says.replace('PID', pid)}`,
    exitCode,
    stdout: '',
  });
  expect(await state()).toEqual(before);
}

describe('without any team', () => {
  let at: Scene;
  beforeAll(async () => {
    at = await scene();
  });
  afterAll(() => at[Symbol.asyncDispose]());

  test.each([...WORDS, ...STARTS])('troupe $args is refused in its own words, and nothing is made', (refusal) =>
    expectRefusal(at, refusal),
  );
});

describe('with a team that runs', () => {
  let at: Scene;
  let running: Live;
  beforeAll(async () => {
    at = await scene();
    await addTemplate(at, 'pair', '---\nname: pair\ndescription: x\nmembers: [{ name: bob }]\n---\nGo.\n');
    running = await live(at, ['run', 'pair', 'x', '--name', 'taken'], at.project);
    await eventually(() => expect(at.server.log()).toHaveLength(1));
  });
  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });

  test.each(IN_A_TEAM)('troupe $args is refused in its own words, and nothing is changed', (refusal) =>
    expectRefusal(at, refusal, String(running.pid)),
  );

  test('add and restart ask the process that a team’s members are loops of, and tell what came of it', async () => {
    const troupe = (...args: readonly string[]) => at.troupe(args, { cwd: at.project, timeout: 100_000 });
    const added = await troupe('add', 'carol', '--prompt', 'Look.', '--cwd', '.claude', '--color', 'pink', '--json');
    expect(added.exitCode, added.stderr).toBe(0);
    expect(Member.parse(JSON.parse(added.stdout))).toMatchObject({
      name: 'carol',
      color: 'pink',
      generation: 1,
      backendType: 'in-process',
      cwd: join(at.project, '.claude'),
    });
    await eventually(() => expect(at.server.log().some(({ userId }) => userId.endsWith(':carol'))).toBe(true));
    expect(await troupe('add', 'carol')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^troupe: There is a living member "carol" in taken already/),
    });
    expect(await troupe('add', 'dave', '--agent', 'ghosts')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('"ghosts"'),
    });
    const env = { ...at.env, ANTHROPIC_API_KEY: '' };
    expect(await at.troupe(['add', 'erin'], { cwd: at.project, env })).toMatchObject({
      exitCode: 5,
      stderr: expect.stringMatching(/^troupe: No credentials/),
    });
    expect(await troupe('restart', 'carol')).toMatchObject({
      exitCode: 0,
      stdout: 'carol is ready again in the process of its lead.',
    });
    const { members } = Status.parse(JSON.parse((await troupe('status', '--json')).stdout));
    expect(members.map(({ name, pid }) => [name, pid])).toEqual(
      ['bob', 'team-lead', 'carol'].map((name) => [name, running.pid]),
    );
  });
});
