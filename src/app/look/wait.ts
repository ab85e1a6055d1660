import { openMailbox } from '../../mailbox/mailbox.js';
import { watchFolder } from '../../store/watchFile.js';
import { openTaskList } from '../../tasks/taskList.js';
import { LEAD, requireMember } from '../../team/member.js';
import { hasEnded, liveRecord, readRunRecord } from '../../team/runRecord.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { ExitCode, isAbort } from '../../util/errors.js';
import { placeOf, type World } from '../services.js';
import { chooseTeam } from './teams.js';

/** `done` is idle without an open task of its own; `blocked` waits for a plan or a permission. */
export const WAITED_FOR = ['idle', 'done', 'dead', 'blocked'] as const;
export type WaitedFor = (typeof WAITED_FOR)[number];

export interface WaitRequest {
  readonly team?: string | undefined;
  /** All living teammates, when empty. */
  readonly members: readonly string[];
  readonly for: WaitedFor;
  /** One of them is enough. */
  readonly any: boolean;
  readonly timeoutMs?: number | undefined;
}

export interface Waited {
  readonly name: string;
  readonly state: string;
  readonly waitingFor?: string;
  /** Id of the plan or permission that it waits for. */
  readonly requestId?: string;
  /** Whether it is what was waited for. */
  readonly came: boolean;
}

export interface WaitOutcome {
  readonly exitCode: ExitCode;
  readonly members: readonly Waited[];
}

/** A look where no file system tells of changes. */
const LOOK_MS = 1000;

/** Waits until members are what is waited for; until one has died instead; or until the time is over. */
export async function waitFor(world: World, request: WaitRequest): Promise<WaitOutcome> {
  const file = await chooseTeam(world, request.team);
  const { name: team } = file;
  const { clock } = world;
  const { paths } = placeOf(world, team);
  const until = clock.monotonic() + (request.timeoutMs ?? Number.POSITIVE_INFINITY);
  const names =
    request.members.length > 0
      ? request.members.map((word) => requireMember(file, word).name)
      : await livingOf(world, file);
  const over = new AbortController();
  let changed = () => {};
  watchFolder(paths.run, () => changed(), over.signal);
  try {
    for (;;) {
      const seen = await Promise.all(names.map((name) => look(world, team, name, request.for)));
      const exitCode = verdict(seen, request);
      if (exitCode !== undefined) return { exitCode, members: seen };
      const left = until - clock.monotonic();
      if (left <= 0) return { exitCode: ExitCode.timeout, members: seen };
      const sooner = new AbortController();
      changed = () => sooner.abort();
      await clock.sleep(Math.min(LOOK_MS, left), sooner.signal).catch((error: unknown) => {
        if (!isAbort(error) && !sooner.signal.aborted) throw error;
      });
    }
  } finally {
    over.abort();
  }
}

/** Nothing yet: `undefined`. */
function verdict(seen: readonly Waited[], { any, for: wanted }: WaitRequest): ExitCode | undefined {
  const came = seen.filter((member) => member.came).length;
  if (any ? came > 0 : came === seen.length) return ExitCode.ok;
  if (wanted === 'dead') return undefined;
  const died = seen.filter(({ state }) => isEnd(state)).length;
  return died > (any ? seen.length - 1 : 0) ? ExitCode.unfinished : undefined;
}

const isEnd = (state: string) => state === 'exited' || state === 'terminated';

async function livingOf(world: World, { name: team, members }: TeamFile): Promise<string[]> {
  const names = members.flatMap(({ name }) => (name === LEAD ? [] : [name]));
  const states = await Promise.all(names.map((name) => look(world, team, name, 'dead')));
  const living = states.flatMap(({ name, state }) => (isEnd(state) ? [] : [name]));
  return living.length > 0 ? living : names;
}

async function look(world: World, team: string, name: string, wanted: WaitedFor): Promise<Waited> {
  const { paths, clock, ids } = placeOf(world, team);
  const record = await readRunRecord(paths.runRecord(name));
  // A team that was taken down meanwhile has taken its members with it.
  if (!record) return isGone(paths.config, name, wanted);
  const live = await liveRecord(record);
  const { state, waitingFor, requestId } = live;
  const isIdle = async () =>
    state === 'idle' && (await openMailbox({ team: paths, member: name, clock, ids }).waiting()) === 0;
  const came = {
    idle: isIdle,
    done: async () => (await isIdle()) && !(await hasOpenTask(paths.tasks, name)),
    dead: async () => hasEnded(live),
    blocked: async () => waitingFor !== undefined,
  };
  return {
    name,
    state,
    ...(waitingFor && { waitingFor }),
    ...(requestId !== undefined && { requestId }),
    came: await came[wanted](),
  };
}

async function isGone(config: string, name: string, wanted: WaitedFor): Promise<Waited> {
  const state = (await openTeamFile(config).read()) ? 'starting' : 'terminated';
  return { name, state, came: wanted === 'dead' && isEnd(state) };
}

async function hasOpenTask(tasks: string, name: string): Promise<boolean> {
  return (await openTaskList(tasks).list()).some(({ owner, status }) => owner === name && status !== 'completed');
}
