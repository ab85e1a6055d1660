import { realpath } from 'node:fs/promises';
import { currentFolder } from '../../config/env.js';
import { onEndSignals } from '../../host/signals.js';
import { openEventLog } from '../../team/eventLog.js';
import { requireMember } from '../../team/member.js';
import { liveRecord, readRunRecord } from '../../team/runRecord.js';
import type { Member } from '../../team/teamFile.js';
import { ExitCode, messageOf, UserError } from '../../util/errors.js';
import { shellLine } from '../../util/text.js';
import { commonFolder, git, inGitsWords, listWorktrees, rootOf, succeeded } from '../../worktree/git.js';
import { livingHolder } from '../../worktree/hold.js';
import { type Forecast, forecastMerge, type MergeQuestion, mergeWork, named } from '../../worktree/merge.js';
import { whileMerging } from '../../worktree/mergeTurn.js';
import { mainCheckoutOf } from '../../worktree/place.js';
import type { Work } from '../../worktree/work.js';
import { chooseAnyTeam, pathsOfAny } from '../look/anyTeam.js';
import { workOf, worktreeToLookAt } from '../look/diff.js';
import { refuseMembers } from '../look/teams.js';
import type { FoundTeam } from '../resume/findTeam.js';
import type { World } from '../services.js';
import { type Overlap, overlapsOf } from './overlaps.js';

export interface MergeWishes {
  readonly squash: boolean;
  /** Only say what would come of it. */
  readonly dryRun: boolean;
  /** Also in the middle of a turn, without what is not committed, and with commits that are not the member's. */
  readonly force: boolean;
  readonly message?: string | undefined;
  /** A folder of the checkout that is to have it; where the command was said when absent. */
  readonly cwd?: string;
  /** Told a line when another merge comes first. */
  readonly onWait?: (line: string) => void;
}

/** What a merge has done, or would do. */
export interface MergeResult extends Pick<Work, 'branch' | 'base' | 'tip' | 'commits' | 'uncommitted'> {
  readonly team: string;
  readonly member: string;
  /** The checkout, and the branch or commit that is checked out there. */
  readonly checkout: string;
  readonly into: string;
  readonly squash: boolean;
  readonly dryRun: boolean;
  readonly merged: boolean;
  /** The new commit. */
  readonly commit?: string;
  /** All of it is there already. */
  readonly upToDate: boolean;
  readonly files: Forecast['changes'];
  /** `null` where git is too old to know. */
  readonly conflicts: readonly string[] | null;
  readonly overlaps: readonly Overlap[];
  /** Why it is not done, or was not: each with the next step. */
  readonly obstacles: readonly string[];
  /** What the repository's hooks said. */
  readonly said: string;
}

interface Task {
  readonly world: Pick<World, 'home' | 'run' | 'clock'>;
  readonly found: FoundTeam;
  readonly member: Member;
  readonly checkout: string;
  readonly wishes: MergeWishes;
  readonly signal: AbortSignal;
}

/**
 * Merges what a member has committed in its worktree into the branch that is checked out in this folder. Whatever goes
 * wrong, and whoever stops it, the checkout is as it was. @throws UserError where it is not done; a dry run tells instead.
 */
export async function mergeMember(
  world: Pick<World, 'home' | 'run' | 'clock'>,
  given: string | undefined,
  word: string,
  wishes: MergeWishes,
): Promise<MergeResult> {
  refuseMembers('merge');
  const found = await chooseAnyTeam(world, given);
  const member = requireMember(found.team, word);
  const stop = new AbortController();
  const restore = onEndSignals((signal) => stop.abort(signal));
  try {
    const { path } = worktreeToLookAt(found.team, member);
    const checkout = await checkoutAt(wishes.cwd ?? currentFolder(), world, mainCheckoutOf(path), member);
    const { signal } = stop;
    const task: Task = { world, found, member, checkout, wishes, signal };
    const what = `the work of ${member.name} into ${checkout}`;
    const { onWait = () => {} } = wishes;
    const turn = { run: world.run, clock: world.clock, checkout, what, signal, onWait };
    return await inGitsWords(whileMerging(turn, () => obey(task))).catch((error: unknown) => {
      throw signal.aborted && !(error instanceof UserError) ? stopped(checkout, signal) : error;
    });
  } finally {
    restore();
  }
}

async function obey(task: Task): Promise<MergeResult> {
  const { world, found, member, checkout, wishes, signal } = task;
  const { squash, dryRun } = wishes;
  const { run } = world;
  const work = await workOf(world, found.team, member);
  const question: MergeQuestion = { run, checkout, work, squash };
  const forecast = await forecastMerge(question);
  const obstacles = await obstaclesTo(task, work, forecast);
  const { branch, base, tip, commits, uncommitted } = work;
  const result: MergeResult = {
    team: found.team.name,
    member: member.name,
    branch,
    base,
    tip,
    commits,
    checkout,
    into: forecast.into.branch ?? forecast.into.commit,
    squash,
    dryRun,
    merged: false,
    upToDate: forecast.isContained,
    files: forecast.changes,
    conflicts: forecast.conflicts ?? null,
    overlaps: await overlapsOf(world, found.team, member, forecast),
    uncommitted,
    obstacles,
    said: '',
  };
  if (dryRun) return result;
  if (obstacles.length > 0) throw new UserError(obstacles.join('\n'), ExitCode.failed);
  if (forecast.isContained) return result;
  if (signal.aborted) throw stopped(checkout, signal);
  const message = wishes.message ?? messageFor(result);
  const end = await mergeWork(question, { changes: forecast.changes, message, signal });
  if ('commit' in end) return told(task, { ...result, ...end, merged: true });
  if (signal.aborted) throw stopped(checkout, signal);
  if ('conflicts' in end) throw new UserError(conflictWords(result, end.conflicts), ExitCode.failed);
  throw new UserError(`Nothing was merged, and ${checkout} is as it was: ${end.failure}`, ExitCode.failed);
}

/** The event log has it, which is no condition for the merge: that is done. */
async function told({ world, found }: Task, result: MergeResult): Promise<MergeResult> {
  const { member, into, checkout, commit, squash } = result;
  const events = openEventLog(pathsOfAny(world, found).events, world.clock);
  try {
    await events.append('merged', { member, commits: result.commits.length, into, checkout, commit, squash });
    return result;
  } catch (error) {
    return { ...result, said: [result.said, `The event log does not have it: ${messageOf(error)}`].join('\n').trim() };
  }
}

function stopped(checkout: string, { reason }: AbortSignal): UserError {
  const code = reason === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated;
  return new UserError(`Stopped by ${reason}: nothing was merged, and ${checkout} is as it was.`, code);
}

/** The top of the checkout that holds `cwd`. @throws UserError where the work cannot go there. */
async function checkoutAt(cwd: string, { run }: Pick<World, 'run'>, repo: string, member: Member): Promise<string> {
  const here = git(run, cwd);
  const checkout = await succeeded(rootOf(here));
  const elsewhere = `Go to the checkout that is to have the work of ${member.name}: ${shellLine(['cd', repo])}`;
  if (checkout === undefined) throw new UserError(`${cwd} is in no checkout of a repository. ${elsewhere}`);
  const folders = [commonFolder(git(run, checkout), checkout), commonFolder(git(run, repo), repo)];
  const [ours, its] = await Promise.all(folders.map(async (folder) => realpath(await folder)));
  if (ours !== its) throw new UserError(`${checkout} is another repository than that of ${member.name}. ${elsewhere}`);
  if (checkout === member.worktreePath)
    throw new UserError(`${checkout} is the worktree of ${member.name} itself. ${elsewhere}`);
  const entry = (await listWorktrees(here)).find(({ path }) => path === checkout);
  const holder = entry && (await livingHolder(entry));
  if (holder !== undefined)
    throw new UserError(`${checkout} is a worktree in which process ${holder} works. ${elsewhere}`, ExitCode.failed);
  return checkout;
}

async function obstaclesTo(task: Task, work: Work, forecast: Forecast): Promise<string[]> {
  const { found, member, wishes, checkout } = task;
  const { name } = member;
  const { isContained, conflicts, hindrances, foreign, into } = forecast;
  const ask = (text: string) =>
    found.archived
      ? shellLine(['git', '-C', work.path, 'status'])
      : shellLine(['troupe', 'send', name, text, '-t', found.team.name]);
  const open = named(work.uncommitted.map(({ path }) => path));
  const isOpen = work.uncommitted.length > 0;
  if (isOpen && work.commits.length === 0)
    return [
      `${name} has committed nothing, so nothing can be merged. Not committed: ${open}. Next: ${ask('Commit your work.')}`,
    ];
  if (isContained) return [];
  const target = into.branch ?? `the commit ${into.commit.slice(0, 10)}`;
  const forcible = [
    ...(await midTurn(task)),
    ...(isOpen
      ? [
          `Not committed, so it would not be merged: ${open}. Next: ${ask('Commit your work.')}; or merge without: --force`,
        ]
      : []),
    ...(foreign > 0
      ? [
          `${name} began from ${work.base.slice(0, 10)}, which ${target} has not come to: ${foreign === 1 ? 'a commit that is' : `${foreign} commits that are`} not the work of ${name} would come along. Bring ${target} there first (git merge ${work.base.slice(0, 10)}), or take them: --force`,
        ]
      : []),
  ];
  return [
    ...hindrances,
    ...(work.beside > 0
      ? [
          `The worktree of ${name} is not on its branch ${work.branch}, which has ${work.beside} commits that the worktree has not. Bring them together in ${work.path} first.`,
        ]
      : []),
    ...(wishes.force ? [] : forcible),
    ...(conflicts !== undefined && conflicts.length > 0
      ? [conflictWords({ member: name, into: target, checkout, tip: work.tip, team: found.team.name }, conflicts)]
      : []),
  ];
}

async function midTurn({ world, found, member: { name } }: Task): Promise<string[]> {
  const record = await readRunRecord(pathsOfAny(world, found).runRecord(name));
  const { state, waitingFor } = record ? await liveRecord(record) : { state: 'exited' as const, waitingFor: undefined };
  if ((state !== 'working' && state !== 'starting') || waitingFor === 'plan') return [];
  const wait = shellLine(['troupe', 'wait', name, '-t', found.team.name]);
  return [
    `${name} is in the middle of a turn. Wait until it is idle (${wait}), or take what it has committed: --force`,
  ];
}

function conflictWords(
  { member, into, checkout, tip, team }: Pick<MergeResult, 'member' | 'into' | 'checkout' | 'tip' | 'team'>,
  files: readonly string[],
): string {
  const asked = shellLine([
    'troupe',
    'send',
    member,
    `Merge ${into} into your branch and settle the conflicts.`,
    '-t',
    team,
  ]);
  return `Conflicts with ${into}: ${named(files)}. ${checkout} is as it was. Next: ${asked}; or settle them yourself: ${shellLine(['git', '-C', checkout, 'merge', tip.slice(0, 10)])}`;
}

function messageFor({ member, team, squash, branch, commits }: MergeResult): string {
  const count = commits.length === 1 ? 'one commit' : `${commits.length} commits`;
  if (!squash) return `Merge the work of ${member} in team ${team}\n\nBranch ${branch}, ${count}.`;
  const subjects = commits.map(({ subject }) => `- ${subject}`).reverse();
  return [`Squash the work of ${member} in team ${team}`, '', ...subjects].join('\n');
}
