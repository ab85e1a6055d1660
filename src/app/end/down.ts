import { rm } from 'node:fs/promises';
import { endMarked, hurried, type Mark } from '../../host/children.js';
import type { Clock } from '../../host/clock.js';
import { isUuid } from '../../host/ids.js';
import { isAlive, type ProcessRef, sendSignal } from '../../host/processes.js';
import type { Backend } from '../../panes/backend.js';
import type { TmuxBackend } from '../../panes/tmux/backend.js';
import { archiveTeam } from '../../team/archive.js';
import { openEventLog } from '../../team/eventLog.js';
import { agentIdOf, LEAD } from '../../team/member.js';
import { openRejections, paneOf, shutdownMember } from '../../team/shutdown.js';
import { changeMember, openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { worktreeHooks } from '../hooks/worktreeHooks.js';
import { placeOf, type World } from '../services.js';
import { recordedBackend } from '../start/backends.js';
import { heldWorktree, type KeptWorktree, releaseWorktree } from '../start/worktrees.js';
import { claimToEnd, type TeamToEnd } from './claimToEnd.js';

const GRACE_MS = 20_000;
const LEAD_MS = 10_000;
/** A killed process is gone at once, where it does not hang in the disk. */
const KILLED_MS = 5000;

export interface DownOptions {
  readonly world: World;
  readonly team: string;
  /** Where this process runs members itself. */
  readonly backend?: Backend | undefined;
  /** Its tmux, where it has one. */
  readonly panes?: TmuxBackend | undefined;
  readonly force: boolean;
  /** Remove it instead of archiving it. */
  readonly purge: boolean;
  /** Leave the team where it is, stopped: its run can be gone on with. */
  readonly keep?: boolean;
  /** Aborted when there is no time left: whoever still lives is killed. */
  readonly hurry?: AbortSignal | undefined;
  readonly progress: (line: string) => void;
}

export interface DownResult {
  readonly team: string;
  /** Where it lies now; absent after a purge. */
  readonly archive?: string;
  /** Worktrees that hold something and were not removed. */
  readonly keptWorktrees: readonly KeptWorktree[];
}

/**
 * Ends a whole team: members, then the lead, their panes and children; clean worktrees go, the others are named; the
 * team goes to the archive. Whoever calls it owns the team from then on, so that lead and command do not both do it.
 */
export async function downTeam(options: DownOptions): Promise<DownResult> {
  const { world, team: name, progress } = options;
  const file = openTeamFile(placeOf(world, name).paths.config);
  const known = await file.require();
  try {
    return await claimAndEnd(options);
  } catch (error) {
    // Two may end it at once, and one of them is quicker with each step.
    if (await file.read().catch(() => known)) {
      await endWithoutFiles(options, known);
      throw error;
    }
    progress(`Somebody else has put "${name}" away meanwhile.`);
    return { team: name, keptWorktrees: [] };
  }
}

async function claimAndEnd(options: DownOptions): Promise<DownResult> {
  const { world, team: name, hurry, progress } = options;
  const claimed = await claimToEnd(world, name, { force: options.force, hurry, progress });
  if (!claimed) {
    progress(`"${name}" is gone: its start has undone itself, or somebody else has put it away.`);
    return { team: name, keptWorktrees: [] };
  }
  return endTeam(options, claimed);
}

/** What can be done where nothing can be written down any more, on a full disk above all: nobody is left running. */
async function endWithoutFiles({ world, team, backend, panes }: DownOptions, { members }: TeamFile): Promise<void> {
  const place = backend ?? panes;
  for (const { name: member, agentId } of members.filter(({ name }) => name !== LEAD)) {
    const step = async () => {
      const pane = await place?.find({ team, member });
      if (pane) await place?.close(pane, { team, member });
      await endMarked({ member: agentId, home: world.home.root }, world.clock);
    };
    await step().catch(() => {});
  }
  await panes?.restoreWindow().catch(() => {});
  await panes?.closeServer().catch(() => {});
}

async function endTeam(
  { world, team: name, backend, panes: given, force, purge, keep = false, hurry, progress }: DownOptions,
  { team, owners }: TeamToEnd,
): Promise<DownResult> {
  const { home, clock } = world;
  const place = placeOf(world, name);
  const file = openTeamFile(place.paths.config);
  // The server may have come with a start that was only just over.
  const panes = given ?? (backend ? undefined : recordedBackend(world, team));
  const teammates = team.members.filter((member) => member.name !== LEAD);
  const rejections = force ? undefined : await openRejections(place);
  const shutdown = { place, home: home.root, backend: backend ?? panes, sender: { from: 'user' }, rejections };
  await Promise.all(
    teammates.map(async (member) => {
      const { how } = await shutdownMember(shutdown, team, member, {
        graceMs: GRACE_MS,
        force,
        overrule: true,
        hurry,
        reason: 'The team is taken down.',
      });
      if (how !== 'gone') progress(`${member.name} ${how === 'forced' ? 'was ended' : 'has ended'}`);
    }),
  );
  await endLead(world, team, owners, hurry);

  const keptWorktrees: KeptWorktree[] = [];
  const hooks = worktreeHooks(world, { settings: team.settings, team: team.name, environment: world.environment() });
  for (const member of teammates) {
    // Whoever goes on with the team goes on in them.
    const repo = repositoryOf(team, world);
    const looked = keep ? heldWorktree(world, repo, member) : releaseWorktree(world, repo, member, hooks);
    const kept = await hurried(looked, { marks: [leadMark(world, team)], hurry, clock });
    if (kept) keptWorktrees.push(kept);
    else if (member.worktreePath !== undefined) await file.update((current) => withoutWorktree(current, member.name));
  }
  await openEventLog(place.paths.events, clock).append('team_down', { team: team.name });
  const archive = keep ? place.paths.root : await putAway(world, team, purge);
  await panes?.restoreWindow();
  const lead = team.members.find((member) => member.name === LEAD);
  const hasOwnPane = lead?.tmuxPaneId.startsWith('%') && lead.ownsPane !== false;
  if (panes && lead && hasOwnPane && team.tmux?.ownsServer === false) {
    await panes.close(paneOf(lead), { team: team.name, member: LEAD });
  }
  // Last: this process may itself sit in a pane of that server.
  await panes?.closeServer();
  return { team: team.name, ...(archive && { archive }), keptWorktrees };
}

function withoutWorktree(team: TeamFile, name: string): TeamFile {
  return changeMember(team, name, (member) => ({ ...member, worktreeRemoved: true }));
}

function repositoryOf(team: TeamFile, world: World): string {
  return team.members.find((member) => member.name === LEAD)?.cwd ?? world.home.root;
}

async function putAway({ home, clock }: World, team: TeamFile, purge: boolean): Promise<string | undefined> {
  if (!purge) return archiveTeam(home, team.name, clock);
  await rm(home.team(team.name).root, { recursive: true, force: true });
  const sessions = [team.leadSessionId, ...team.members.map(({ sessionId }) => sessionId)];
  for (const id of sessions)
    if (id !== undefined && isUuid(id)) await rm(home.session(id).root, { recursive: true, force: true });
  return undefined;
}

/** What the lead and its hooks start, worktrees' among them. */
export function leadMark({ home }: World, { name }: Pick<TeamFile, 'name'>): Mark {
  return { member: agentIdOf(LEAD, name), home: home.root };
}

/** Whether a process ends in time. */
async function isGone(process: ProcessRef, clock: Clock, withinMs: number, hurry?: AbortSignal): Promise<boolean> {
  const until = clock.monotonic() + withinMs;
  while (await isAlive(process)) {
    if (clock.monotonic() >= until || hurry?.aborted) return false;
    await clock.sleep(25);
  }
  return true;
}

/** The lead's process is asked by SIGTERM: it sees that the team is no longer its own, and just ends. */
async function endLead(
  world: World,
  team: TeamFile,
  owners: readonly ProcessRef[],
  hurry: AbortSignal | undefined,
): Promise<void> {
  const { clock } = world;
  const mark = leadMark(world, team);
  for (const owner of owners) {
    if (!(await sendSignal(owner, 'SIGTERM'))) continue;
    if (await isGone(owner, clock, LEAD_MS, hurry)) continue;
    if (await sendSignal(owner, 'SIGKILL', 'group')) await isGone(owner, clock, KILLED_MS);
  }
  await hurried(endMarked(mark, clock), { marks: [mark], hurry, clock });
}
