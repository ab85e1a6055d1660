import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../config/env.js';
import { ensureHome, homeAt } from '../../config/paths.js';
import { verdict } from '../../headless/quiet.js';
import { loadScript } from '../../modelServer/script/script.js';
import { startModelServer } from '../../modelServer/server.js';
import type { WantedBackend } from '../../panes/choose.js';
import { openTeamFile } from '../../team/teamFile.js';
import { ExitCode, isAbort } from '../../util/errors.js';
import { runTeam } from '../run/run.js';
import { takeSnapshot } from '../run/snapshot.js';
import { placeOf, type World } from '../services.js';
import { type BackendWish, decideBackend } from '../start/backends.js';
import type { TeamWish } from '../start/planTeam.js';
import { up } from '../start/up.js';
import { DEMO_PROMPT, type DemoRepository, makeDemoRepository } from './demoRepository.js';

export interface DemoOptions {
  readonly seed: number;
  /** Answers in place of the shipped ones. */
  readonly script?: string | undefined;
  readonly backend: WantedBackend;
  readonly isTerminal: boolean;
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
  /** Aborted when its end is to be quick. */
  readonly hurry: AbortSignal;
}

export interface DemoOutcome {
  readonly exitCode: ExitCode;
  readonly repository: string;
  /** `$TROUPE_HOME` of the demo: nothing of the user's own is touched. */
  readonly home: string;
  readonly testPassed: boolean;
  readonly lines: readonly string[];
}

/** A whole team on a small repository that it makes, with a scripted model over real HTTP. It leaves both to be looked at. */
export async function demo(outer: World, options: DemoOptions): Promise<DemoOutcome> {
  const { note, seed } = options;
  const script = await loadScript(options.script ?? join(outer.shippedTemplates, 'scripts', 'feature.yaml'));
  const folder = await mkdtemp(join(temporaryFolder(), 'troupe-demo-'));
  const home = homeAt(join(folder, 'home'));
  await ensureHome(home);
  const repository = await makeDemoRepository({ folder: join(folder, 'repository'), seed, run: outer.run });
  note(`A small repository with a failing test: ${repository.path}`);
  const server = await startModelServer({ clock: outer.clock, ids: outer.ids, script });
  const model = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'demo' };
  const world: World = {
    ...outer,
    home,
    environment: () => ({ ...outer.environment(), ...model, TROUPE_HOME: home.root }),
  };
  try {
    const failure = await play(world, repository, options);
    return await outcomeOf(world, repository, failure);
  } finally {
    await server.close();
  }
}

function wishFor({ path }: DemoRepository): TeamWish {
  return {
    words: [DEMO_PROMPT],
    template: 'feature',
    cwd: path,
    name: 'demo',
    model: 'sonnet',
    set: {},
    allowedTools: [],
    disallowedTools: [],
    worktrees: false,
    trust: false,
    replace: false,
  };
}

/** In tmux when there is a terminal to show it on, else in this process. Returns what went wrong with the run, if anything. */
async function play(
  world: World,
  repository: DemoRepository,
  { backend, isTerminal, note, signal, hurry }: DemoOptions,
): Promise<string | undefined> {
  const wish = wishFor(repository);
  const shown: BackendWish = { wanted: backend, command: 'up', detach: false, isTerminal, layout: 'panes' };
  const decided = isTerminal ? await decideBackend(world, shown) : undefined;
  if (decided && decided.type !== 'in-process') return playInPanes(world, wish, backend, note, signal);
  if (decided?.notice) note(decided.notice);
  const { result } = await runTeam(world, {
    wish,
    backend: backend === 'auto' ? 'in-process' : backend,
    keep: false,
    approvePlans: false,
    note: (line) => note(`  ${line}`),
    line: () => {},
    signal,
    hurry,
  });
  return result.is_error ? `${result.subtype}: ${(result.errors ?? []).join('; ')}` : undefined;
}

/** Everybody in a pane, the lead too, on this terminal; taken down when nobody has anything left to do. */
async function playInPanes(
  world: World,
  wish: TeamWish,
  backend: WantedBackend,
  note: (line: string) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  let end: Awaited<ReturnType<typeof untilQuiet>> = 'ended';
  const until = async (team: string) => {
    end = await untilQuiet(world, team, signal);
  };
  await up(world, { wish, backend, detach: false, isTerminal: true, note, until });
  return PROBLEMS[end];
}

const PROBLEMS = {
  quiet: undefined,
  stuck: 'the team stopped before the work was done',
  ended: 'the team was ended before the work was done',
} as const;

/** Looks in a row that find nobody at work and something open, before that is believed. */
const STUCK_LOOKS = 3;

async function untilQuiet(world: World, team: string, signal: AbortSignal): Promise<'quiet' | 'stuck' | 'ended'> {
  const place = placeOf(world, team);
  let before: Awaited<ReturnType<typeof takeSnapshot>> | undefined;
  let stuck = 0;
  for (;;) {
    // A person may have taken it down at its own prompt.
    if (!(await openTeamFile(place.paths.config).read())) return 'ended';
    const now = await takeSnapshot(place, world.home).catch(() => undefined);
    if (!now) return 'ended';
    const state = verdict(before, now);
    stuck = state.kind === 'stuck' ? stuck + 1 : 0;
    if (state.kind === 'quiet' || stuck >= STUCK_LOOKS) return state.kind === 'quiet' ? 'quiet' : 'stuck';
    before = now;
    try {
      await world.clock.sleep(300, signal);
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) throw error;
      return 'ended';
    }
  }
}

async function outcomeOf(
  { run, home }: World,
  { path, file, functionName, failingTest }: DemoRepository,
  failure: string | undefined,
): Promise<DemoOutcome> {
  const test = await run('node', ['--test'], { cwd: path });
  const log = await run('git', ['log', '--graph', '--oneline', '-n', '10'], { cwd: path });
  const testPassed = test.exitCode === 0;
  const lines = [
    ...(failure === undefined ? [] : [`The run itself failed: ${failure}`]),
    testPassed
      ? `The test "${failingTest}" passes now: ${functionName} in ${file} is mended.`
      : `The test "${failingTest}" still fails.`,
    ...log.stdout.split('\n').map((line) => `  ${line}`),
    `Repository:  ${path}`,
    `Transcripts: ${home.sessions}`,
    `The team:    ${home.archive}`,
  ];
  const exitCode = testPassed && failure === undefined ? ExitCode.ok : ExitCode.failed;
  return { exitCode, repository: path, home: home.root, testPassed, lines };
}
