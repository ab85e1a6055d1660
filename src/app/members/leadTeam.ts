import type { Backend } from '../../panes/backend.js';
import { LEAD } from '../../team/member.js';
import type { Sender, TeamPlace } from '../../team/messages.js';
import { livingRecord, openRejections, shutdownMember } from '../../team/shutdown.js';
import type { Launch } from '../../team/start/launch.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';
import type { TeamPort } from '../../tools/team.js';
import { ExitCode, UserError } from '../../util/errors.js';
import { isSameName } from '../../util/names.js';
import { worktreeHooks } from '../hooks/worktreeHooks.js';
import type { World } from '../services.js';
import { keptWords, releaseWorktree } from '../start/worktrees.js';

const GRACE_MS = 20_000;

export interface LeadTeamDeps {
  readonly world: World;
  readonly place: TeamPlace;
  readonly launch: Launch;
  readonly self: Sender;
  readonly backend: Backend;
}

/** TeamCreate and TeamDelete of a lead: its session has a team from the start. */
export function createTeamPort({ world, place, launch, self, backend }: LeadTeamDeps): TeamPort {
  const file = openTeamFile(place.paths.config);
  return {
    async create(name, description) {
      const team = await file.require();
      if (!isSameName(name, team.name))
        throw new UserError(
          `You lead the team "${team.name}" already, and a session has one team: bring members into it with Agent {name}. Leave "${name}" be.`,
        );
      const isNew = description !== undefined && team.description === undefined;
      const current = isNew ? await file.update((before) => ({ ...before, description })) : team;
      return JSON.stringify({
        team_name: current.name,
        team_file_path: place.paths.config,
        lead_agent_id: current.leadAgentId,
        members: teammatesOf(current).map((member) => member.name),
      });
    },
    async remove() {
      const team = await file.require();
      const members = teammatesOf(team);
      await refuseWhileWorking(
        place,
        members.map((member) => member.name),
      );
      const deps = { place, home: world.home.root, backend, sender: self, rejections: await openRejections(place) };
      const ended = await Promise.all(
        members.map(async (member) => {
          const outcome = await shutdownMember(deps, team, member, { graceMs: GRACE_MS, reason: 'TeamDelete.' });
          const isGone = outcome.how !== 'rejected';
          const kept = isGone
            ? await releaseWorktree(world, launch.cwd, member, worktreeHooks(world, launch))
            : undefined;
          return {
            name: member.name,
            ...(outcome.how === 'rejected' ? { stays: outcome.reason } : { how: outcome.how }),
            ...(kept && { worktree: keptWords(kept) }),
          };
        }),
      );
      return JSON.stringify({ team_name: team.name, members: ended });
    },
  };
}

const teammatesOf = ({ members }: TeamFile) => members.filter(({ name }) => name !== LEAD);

async function refuseWhileWorking(place: TeamPlace, names: readonly string[]): Promise<void> {
  const records = await Promise.all(names.map(async (name) => ({ name, record: await livingRecord(place, name) })));
  const busy = records.filter(({ record }) => record && record.state !== 'idle').map(({ name }) => name);
  if (busy.length === 0) return;
  throw new UserError(
    `Still working: ${busy.join(', ')}. Wait for their notes, or ask them to end with SendMessage {type: "shutdown_request"}.`,
    ExitCode.failed,
  );
}
