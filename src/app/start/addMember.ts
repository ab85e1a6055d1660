import { currentFolder } from '../../config/env.js';
import { requireAgent } from '../../definitions/load.js';
import { isAlive } from '../../host/processes.js';
import { useOwnModels } from '../../model/userModels.js';
import type { TeamSettings } from '../../team/launch.js';
import { leadModeOf } from '../../team/leadMode.js';
import { type StartDeps, type StartedMember, startMember } from '../../team/lifecycle.js';
import { checkNewMemberName, findMember, LEAD, requireMember } from '../../team/member.js';
import { shutdownMember } from '../../team/shutdown.js';
import type { Member, TeamFile } from '../../team/teamFile.js';
import { ExitCode, UserError } from '../../util/errors.js';
import { worktreeHooks } from '../hooks/worktreeHooks.js';
import { agentsFor } from '../knowledge/agentTypes.js';
import { chooseTeam, refuseMembers } from '../look/teams.js';
import { requireMembersServers } from '../mcp/teamServers.js';
import { placeOf, type World } from '../services.js';
import { againRequest } from './again.js';
import { recordedBackend } from './backends.js';
import { type MemberWish, resolveMember } from './memberRequest.js';
import { type KeptWorktree, releaseWorktree } from './worktrees.js';

/** One more teammate of a running team. */
export async function addMember(
  world: World,
  team: string | undefined,
  wish: MemberWish,
): Promise<StartedMember & { readonly leftWorktree?: KeptWorktree }> {
  refuseMembers('add');
  checkNewMemberName(wish.name);
  const file = await chooseTeam(world, team);
  const { deps, settings } = await startDeps(world, file, 'add');
  const cwd =
    wish.cwd === undefined ? (file.members.find(({ name }) => name === LEAD)?.cwd ?? currentFolder()) : currentFolder();
  const agents = await agentsFor(world, { cwd, settings, environment: deps.environment });
  await useOwnModels(world.home.models);
  const request = resolveMember({ promptFrom: 'user', ...wish }, { agents, settings, cwd });
  await requireMembersServers(world, requireAgent(agents, request.agentType), {
    ...{ cwd, settings },
    environment: deps.environment,
  });
  const started = await startMember(deps, request);
  const leftWorktree = await releaseFormer(world, file, started.member, cwd);
  return { ...started, ...(leftWorktree && { leftWorktree }) };
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

/** A fresh process for a member, which goes on from its transcript, with its mail. */
export async function restartMember(world: World, team: string | undefined, name: string): Promise<StartedMember> {
  refuseMembers('restart');
  const file = await chooseTeam(world, team);
  const member = requireMember(file, name);
  if (member.name === LEAD)
    throw new UserError('The lead cannot be restarted by itself: take the team down and start it again.');
  const { deps, settings } = await startDeps(world, file, 'restart');
  await shutdownMember(
    { place: deps.place, home: world.home.root, backend: deps.backend, sender: { from: 'user' } },
    file,
    member,
    { graceMs: 0, force: true },
  );
  return startMember(deps, againRequest(member, file, settings));
}

async function startDeps(
  world: World,
  team: TeamFile,
  command: string,
): Promise<{ deps: StartDeps; settings: TeamSettings }> {
  const backend = recordedBackend(world, team);
  if (!team.leadProcess || !(await isAlive(team.leadProcess)))
    throw new UserError(`The lead of "${team.name}" is not alive, so a member would leave at once.`, ExitCode.failed);
  if (!backend)
    throw new UserError(
      `The members of "${team.name}" run inside the process of its lead, where another shell cannot start any: "troupe ${command}" needs a team in tmux. Ask the lead to do it.`,
      ExitCode.failed,
    );
  if (!team.settings)
    throw new UserError(
      `The team "${team.name}" has no settings on record: it was made by an older version. Start it anew.`,
      ExitCode.failed,
    );
  const settings = { ...team.settings, leadMode: leadModeOf(team) ?? team.settings.leadMode };
  return {
    deps: {
      home: world.home,
      place: placeOf(world, team.name),
      run: world.run,
      backend,
      program: world.program,
      environment: world.environment(),
      settings,
      worktreeHooks: worktreeHooks(world, { settings, team: team.name, environment: world.environment() }),
    },
    settings,
  };
}
