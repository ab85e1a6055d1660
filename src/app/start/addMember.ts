import { currentFolder } from '../../config/env.js';
import { requireAgent } from '../../definitions/load.js';
import { isAlive } from '../../host/processes.js';
import { useOwnModels } from '../../model/userModels.js';
import type { Backend } from '../../panes/backend.js';
import { leadModeOf } from '../../team/leadMode.js';
import { checkNewMemberName, findMember, LEAD, requireMember } from '../../team/member.js';
import { shutdownMember } from '../../team/shutdown.js';
import type { TeamSettings } from '../../team/start/launch.js';
import { type StartDeps, type StartedMember, startMember } from '../../team/start/lifecycle.js';
import { type Member, openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { ExitCode, UserError } from '../../util/errors.js';
import { worktreeHooks } from '../hooks/worktreeHooks.js';
import { agentsFor } from '../knowledge/agentTypes.js';
import { chooseTeam, refuseMembers } from '../look/teams.js';
import { requireMembersServers } from '../mcp/teamServers.js';
import { placeOf, type World } from '../services.js';
import { againRequest } from './again.js';
import { recordedBackend } from './backends.js';
import { type Added, askHost, type HostRequest } from './hostRequest.js';
import { laterEnvironment } from './laterEnvironment.js';
import { type MemberWish, resolveMember } from './memberRequest.js';
import { type KeptWorktree, releaseWorktree } from './worktrees.js';

/** One more teammate of a running team. */
export async function addMember(world: World, team: string | undefined, wish: MemberWish): Promise<Added> {
  refuseMembers('add');
  checkNewMemberName(wish.name);
  const file = await runningTeam(world, team);
  const cwd = wish.cwd === undefined ? folderOfLead(file) : currentFolder();
  const environment = await environmentFor(world, file);
  const backend = recordedBackend(world, file);
  if (!backend) return askHost(world, file, { what: 'add', wish, cwd }, environment);
  return addHere(world, startDeps(world, file, backend, environment), { file, wish, cwd });
}

/** A fresh process for a member, which goes on from its transcript, with its mail. */
export async function restartMember(world: World, team: string | undefined, name: string): Promise<StartedMember> {
  refuseMembers('restart');
  const file = await runningTeam(world, team);
  const member = requireMember(file, name);
  if (member.name === LEAD)
    throw new UserError('The lead cannot be restarted by itself: take the team down and start it again.');
  const environment = await environmentFor(world, file);
  const backend = recordedBackend(world, file);
  if (!backend) return askHost(world, file, { what: 'restart', name: member.name }, environment);
  return restartHere(world, startDeps(world, file, backend, environment), { file, member });
}

function environmentFor(world: World, file: TeamFile): Promise<StartDeps['environment']> {
  return laterEnvironment(world, { settings: settingsOf(file), cwd: folderOfLead(file) });
}

/** Where its process is, or where the lead starts it, whichever shell asks. */
export async function startAsked(
  world: World,
  asked: HostRequest,
  { team, backend, environment }: { team: string; backend: Backend; environment: StartDeps['environment'] },
): Promise<Added> {
  const file = await openTeamFile(placeOf(world, team).paths.config).require();
  const deps = startDeps(world, file, backend, environment);
  return asked.what === 'add'
    ? addHere(world, deps, { file, ...asked })
    : restartHere(world, deps, { file, member: requireMember(file, asked.name) });
}

async function addHere(
  world: World,
  deps: StartDeps,
  { file, wish, cwd }: { readonly file: TeamFile; readonly wish: MemberWish; readonly cwd: string },
): Promise<Added> {
  const { settings, environment } = deps;
  const agents = await agentsFor(world, { cwd, settings, environment });
  await useOwnModels(world.home.models);
  const request = resolveMember({ promptFrom: 'user', ...wish }, { agents, settings, cwd, environment });
  await requireMembersServers(world, requireAgent(agents, request.agentType), { cwd, settings, environment });
  const started = await startMember(deps, request);
  const leftWorktree = await releaseFormer(world, file, started.member, cwd);
  return { ...started, ...(leftWorktree && { leftWorktree }) };
}

async function restartHere(
  world: World,
  deps: StartDeps,
  { file, member }: { readonly file: TeamFile; readonly member: Member },
): Promise<StartedMember> {
  const shutdown = { place: deps.place, home: world.home.root, backend: deps.backend, sender: { from: 'user' } };
  await shutdownMember(shutdown, file, member, { graceMs: 0, force: true });
  return startMember(deps, againRequest(member, file, deps.settings));
}

/** The dead member whose slot was taken may have left a worktree, which no list has any more. */
export async function releaseFormer(
  world: World,
  before: TeamFile,
  { name, generation }: Member,
  repo: string,
): Promise<KeptWorktree | undefined> {
  const former = findMember(before, name);
  if (former === undefined || former.generation === generation) return undefined;
  const place = { settings: before.settings, team: before.name, environment: world.environment() };
  return releaseWorktree(world, repo, former, worktreeHooks(world, place));
}

function folderOfLead({ members }: TeamFile): string {
  return members.find(({ name }) => name === LEAD)?.cwd ?? currentFolder();
}

async function runningTeam(world: World, given: string | undefined): Promise<TeamFile> {
  const team = await chooseTeam(world, given);
  if (!team.leadProcess || !(await isAlive(team.leadProcess)))
    throw new UserError(
      `The lead of "${team.name}" is not alive, so a member would leave at once. Go on with the team: troupe resume ${team.name}`,
      ExitCode.failed,
    );
  return team;
}

function settingsOf({ name, settings }: TeamFile): TeamSettings {
  if (settings) return settings;
  throw new UserError(
    `The team "${name}" has no settings on record: it was made by an older version. Start it anew.`,
    ExitCode.failed,
  );
}

function startDeps(world: World, team: TeamFile, backend: Backend, environment: StartDeps['environment']): StartDeps {
  const own = settingsOf(team);
  const settings = { ...own, leadMode: leadModeOf(team) ?? own.leadMode };
  return {
    home: world.home,
    place: placeOf(world, team.name),
    run: world.run,
    backend,
    program: world.program,
    environment,
    settings,
    worktreeHooks: worktreeHooks(world, { settings, team: team.name, environment }),
  };
}
