import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { ensureHome, type TeamPaths } from '../../config/paths.js';
import { thisProcess } from '../../host/processes.js';
import type { Backend, Pane } from '../../panes/backend.js';
import { createInProcessBackend, type StartMember } from '../../panes/inProcess.js';
import { openTaskList } from '../../tasks/taskList.js';
import { archiveTeam, makeTeamFolders, unmakeTeamFolders } from '../../team/archive.js';
import { openEventLog } from '../../team/eventLog.js';
import { agentIdOf, LEAD } from '../../team/member.js';
import { shutdownMember } from '../../team/shutdown.js';
import { type StartDeps, startMember, startMembers } from '../../team/start/lifecycle.js';
import { undone } from '../../team/start/undone.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { messageOf } from '../../util/errors.js';
import { closeDeadServers } from '../end/deadServers.js';
import { endOrphans } from '../end/orphans.js';
import { worktreeHooks } from '../hooks/worktreeHooks.js';
import { placeOf, type World } from '../services.js';
import { type BackendWish, type DecidedBackend, type OpenBackend, openBackend } from './backends.js';
import type { TeamPlan } from './planTeam.js';
import { pruneWorktrees, releaseWorktree } from './worktrees.js';

/** Members that are being started at the same time. More take each other's time to be ready in. */
export const STARTS_AT_ONCE = 16;

export interface TeamStart {
  readonly world: World;
  readonly plan: TeamPlan;
  readonly decided: DecidedBackend;
  readonly wish: BackendWish;
  /** Runs a teammate in this process. */
  readonly teammateHere: StartMember;
  /** Runs the lead in this process; called only where that is its place. */
  readonly leadHere: (launchFile: string, signal: AbortSignal, backend: Backend) => ReturnType<StartMember>;
  /** One line about how far it is. */
  readonly progress: (line: string) => void;
}

export interface StartedTeam {
  readonly open: OpenBackend;
  readonly lead: Pane;
}

/** Makes the team and starts everybody. All or nothing: when it throws, nothing of it is left. */
export async function startTeam({
  world,
  plan,
  decided,
  wish,
  teammateHere,
  leadHere,
  progress,
}: TeamStart): Promise<StartedTeam> {
  const place = placeOf(world, plan.name);
  // Leftovers are in nobody's way: that they cannot be looked at stops no team.
  await Promise.allSettled([pruneWorktrees(world, plan.cwd), closeDeadServers(world), endOrphans(world)]);
  const madeFolders = await createTeam(world, plan);
  let open: OpenBackend | undefined;
  try {
    // Members start with the team's own variables, those of its settings and its template.
    const ofTeam = { ...world, environment: () => ({ ...plan.environment }) };
    open = await openBackend(ofTeam, decided, { ...wish, layout: plan.layout }, plan.name, teammateHere);
    const { backend, tmux, leadPane } = open;
    if (tmux) await openTeamFile(place.paths.config).update((team) => ({ ...team, tmux: { ...tmux } }));
    const deps: StartDeps = {
      home: world.home,
      place,
      run: world.run,
      backend,
      program: world.program,
      environment: plan.environment,
      settings: plan.settings,
      worktreeHooks: worktreeHooks(world, { ...plan, team: plan.name }),
    };
    if (plan.members.length > 0) progress(`Starting ${namesOf(plan.members)} (${backend.type})`);
    const { members } = plan;
    if (open.leadIsHere) {
      await startMembers(deps, members, STARTS_AT_ONCE);
      const here = leadBackend(backend, open.panes ? leadPane : undefined, leadHere);
      const { pane } = await startMember({ ...deps, backend: here }, plan.lead);
      return { open, lead: pane };
    }
    // Where the lead has no pane yet, its window comes first and the others go beside it.
    const everybody = leadPane ? [...members, plan.lead] : [plan.lead, ...members];
    const started = await startMembers(deps, everybody, STARTS_AT_ONCE);
    const lead = started[everybody.indexOf(plan.lead)];
    if (!lead) throw new Error(`The lead of ${plan.name} was not started.`);
    return { open, lead: lead.pane };
  } catch (error) {
    throw await undoTeam(world, plan, { open, madeFolders }, error);
  }
}

function namesOf(members: TeamPlan['members']): string {
  return members.length > 12 ? `${members.length} members` : members.map(({ name }) => name).join(', ');
}

/** The lead as a loop of this process. In the user's own pane that pane is where it is found. */
export function leadBackend(members: Backend, pane: Pane | undefined, leadHere: TeamStart['leadHere']): Backend {
  const here = createInProcessBackend({ startMember: (launchFile, signal) => leadHere(launchFile, signal, members) });
  if (!pane) return here;
  const inside: Pane = { paneId: 'in-process', windowId: LEAD, ownsPane: true };
  return {
    ...here,
    async start(request) {
      await here.start(request);
      return { ...pane, ownsPane: false };
    },
    ended: () => here.ended(inside),
    effort: () => here.effort(inside),
    close: (_, owner) => here.close(inside, owner),
  };
}

/** Returns the folders of the home that it made. */
async function createTeam(world: World, plan: TeamPlan): Promise<string[]> {
  const { home, clock } = world;
  const { name, expanded, cwd } = plan;
  const madeFolders = await ensureHome(home);
  if (plan.replaces) await archiveTeam(home, name, clock);
  const place = placeOf(world, name);
  const self = await thisProcess();
  const now = clock.now();
  const team: TeamFile = {
    name,
    createdAt: now,
    leadAgentId: agentIdOf(LEAD, name),
    leadProcess: { ...self, claimedAt: now },
    ...(expanded.template && { template: expanded.template }),
    layout: plan.layout,
    settings: plan.settings,
    approver: expanded.approver,
    ...(expanded.allowedPaths.length > 0 && {
      teamAllowedPaths: expanded.allowedPaths.map(({ path, toolName }) => ({
        path: isAbsolute(path) ? path : resolve(cwd, path),
        toolName,
        addedBy: expanded.template ?? name,
        addedAt: now,
      })),
    }),
    members: [],
  };
  try {
    await makeTeamFolders(place.paths);
    await openTeamFile(place.paths.config).create(team);
  } catch (error) {
    // Where there is a TeamFile it is that of another team.
    if (!existsSync(place.paths.config)) await removeEmpty(place.paths, madeFolders);
    throw error;
  }
  try {
    await fillTeam(world, plan);
  } catch (error) {
    throw await undoTeam(world, plan, { madeFolders }, error);
  }
  return madeFolders;
}

async function removeEmpty(paths: TeamPaths, madeFolders: readonly string[]): Promise<void> {
  await unmakeTeamFolders(paths);
  // One that another team has moved into meanwhile is not empty, and stays.
  for (const path of madeFolders.toReversed()) await rmdir(path).catch(() => {});
}

async function fillTeam(world: World, { name, expanded }: TeamPlan): Promise<void> {
  const place = placeOf(world, name);
  const tasks = openTaskList(place.paths.tasks);
  const ids: string[] = [];
  for (const { subject, description, after, owner } of expanded.tasks) {
    const blockedBy = after.flatMap((number) => ids[number - 1] ?? []);
    const { id } = await tasks.create({ subject, description, blockedBy, ...(owner && { owner }) });
    ids.push(id);
  }
  await openEventLog(place.paths.events, world.clock).append('team_created', {
    team: name,
    ...(expanded.template && { template: expanded.template }),
  });
}

/** The team is ours: `createTeam` made it. */
async function undoTeam(
  world: World,
  plan: TeamPlan,
  { open, madeFolders }: { readonly open?: OpenBackend | undefined; readonly madeFolders: readonly string[] },
  error: unknown,
): Promise<unknown> {
  const place = placeOf(world, plan.name);
  const failures: string[] = [];
  const step = (work: () => Promise<unknown>) => work().catch((failure) => failures.push(messageOf(failure)));
  const self = await thisProcess();
  const file = openTeamFile(place.paths.config);
  // A lead that runs already must not take the team down by itself meanwhile. On a full disk that cannot be said.
  const claiming = file.update((current) => ({ ...current, leadProcess: { ...self, claimedAt: world.clock.now() } }));
  const team = await claiming.catch(() => file.require());
  const shutdown = { place, home: world.home.root, backend: open?.backend, sender: { from: 'user' } };
  for (const member of team.members) {
    await step(() => shutdownMember(shutdown, team, member, { graceMs: 0, force: true }));
    await step(() => releaseWorktree(world, plan.cwd, member, worktreeHooks(world, { ...plan, team: plan.name })));
    if (member.sessionId)
      await step(() => rm(world.home.session(member.sessionId ?? '').root, { recursive: true, force: true }));
  }
  await step(async () => open?.panes?.restoreWindow());
  await step(async () => open?.panes?.closeServer());
  await step(() => rm(place.paths.root, { recursive: true, force: true }));
  await removeEmpty(place.paths, madeFolders);
  return undone(error, 'the start', failures);
}
