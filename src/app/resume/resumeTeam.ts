import { rename } from 'node:fs/promises';
import { endMarked } from '../../host/children.js';
import type { Pane } from '../../panes/backend.js';
import { unarchiveTeam } from '../../team/archive.js';
import { openEventLog } from '../../team/eventLog.js';
import { LEAD } from '../../team/member.js';
import { shutdownMember } from '../../team/shutdown.js';
import { type StartDeps, startMember } from '../../team/start/lifecycle.js';
import { takeOver } from '../../team/start/takeOver.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { worktreeHooks } from '../hooks/worktreeHooks.js';
import { placeOf, type World } from '../services.js';
import { againRequest } from '../start/again.js';
import type { BackendWish, DecidedBackend } from '../start/backends.js';
import { leadBackend, type StartedTeam, type TeamStart } from '../start/startTeam.js';
import { type ReopenedBackend, reopenBackend } from './reopenBackend.js';
import type { ResumePlan } from './resumePlan.js';
import { type Returned, returnMembers } from './returnMembers.js';

export interface TeamResume extends Pick<TeamStart, 'teammateHere' | 'leadHere' | 'progress'> {
  readonly world: World;
  readonly plan: ResumePlan;
  readonly decided: DecidedBackend;
  readonly wish: BackendWish;
  /** Told how each member came back, before the lead begins. */
  readonly returned?: (members: readonly Returned[]) => void;
}

/**
 * Goes on with a team whose lead is dead: takes it over, keeps the members that live, starts the others from their
 * transcripts, and the lead from its own. When it throws, the team lies where it lay, without a lead.
 */
export async function resumeTeam(options: TeamResume): Promise<StartedTeam> {
  const { world, plan } = options;
  const place = placeOf(world, plan.name);
  if (plan.archived) await unarchiveTeam(world.home, plan.archived);
  try {
    return await comeBack(options, await takeOver(place));
  } catch (error) {
    if (plan.archived) await rename(place.paths.root, plan.archived.path).catch(() => {});
    throw error;
  }
}

async function comeBack(options: TeamResume, team: TeamFile): Promise<StartedTeam> {
  const { world, plan, decided, wish, teammateHere, leadHere, progress } = options;
  const place = placeOf(world, plan.name);
  const inTeam = { ...world, environment: () => ({ ...plan.environment }) };
  const layout = team.layout ?? 'panes';
  const open = await reopenBackend(inTeam, team, decided, { ...wish, layout }, teammateHere);
  let members: readonly Returned[] = [];
  try {
    const file = openTeamFile(place.paths.config);
    // Their ids mean nothing in another server: what is noted of them holds for who is started from it.
    const { hiddenPaneIds = [] } = team;
    const updated = await file.update(({ tmux: _, ...current }) => ({
      ...current,
      ...(!open.isReopened && hiddenPaneIds.length > 0 && { hiddenPaneIds: [] }),
      settings: plan.settings,
      ...(open.tmux && { tmux: { ...open.tmux } }),
    }));
    const now = { ...updated, hiddenPaneIds };
    const deps: StartDeps = {
      home: world.home,
      place,
      run: world.run,
      backend: open.backend,
      program: world.program,
      environment: plan.environment,
      settings: plan.settings,
      worktreeHooks: worktreeHooks(world, { ...plan, team: plan.name }),
    };
    const here = open.leadIsHere
      ? leadBackend(open.backend, open.panes ? open.leadPane : undefined, leadHere)
      : open.backend;
    const startLead = async (): Promise<Pane> => {
      await endMarked({ member: plan.lead.agentId, home: world.home.root }, world.clock);
      const again = againRequest(plan.lead, now, plan.settings);
      const prompt = plan.prompt === undefined ? {} : { prompt: plan.prompt, promptFrom: 'user' };
      return (await startMember({ ...deps, backend: here }, { ...again, role: 'lead', ...prompt })).pane;
    };
    // Where the lead has no pane yet, its window comes first and the others go beside it.
    const first = open.leadIsHere || open.leadPane ? undefined : await startLead();
    const { before, isReopened } = open;
    members = await returnMembers({ deps, team: now, before, isReopened, members: plan.members, progress });
    options.returned?.(members);
    const lead = first ?? (await startLead());
    await openEventLog(place.paths.events, world.clock).append('resumed', { team: plan.name, members });
    return { open, lead };
  } catch (error) {
    await giveUp(world, plan, open, members);
    throw error;
  }
}

/** Ends what was started: their lead would be gone at once. */
async function giveUp(
  world: World,
  { name }: ResumePlan,
  { backend, panes, isReopened }: ReopenedBackend,
  members: readonly Returned[],
): Promise<void> {
  const place = placeOf(world, name);
  const team = await openTeamFile(place.paths.config).require();
  const started = new Set([LEAD, ...members.flatMap((member) => (member.how === 'restarted' ? [member.name] : []))]);
  const shutdown = { place, home: world.home.root, backend, sender: { from: 'user' } };
  for (const member of team.members.filter((other) => started.has(other.name)))
    await shutdownMember(shutdown, team, member, { graceMs: 0, force: true }).catch(() => {});
  if (!isReopened) {
    await panes?.restoreWindow().catch(() => {});
    await panes?.closeServer().catch(() => {});
  }
}
