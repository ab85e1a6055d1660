import { userHome } from '../../config/env.js';
import { managedFolder } from '../../config/paths.js';
import { loadSettings } from '../../config/settings.js';
import { isAlive } from '../../host/processes.js';
import { useOwnModels } from '../../model/userModels.js';
import { LEAD } from '../../team/member.js';
import type { TeamSettings } from '../../team/start/launch.js';
import { runsWords } from '../../team/start/takeOver.js';
import type { Member } from '../../team/teamFile.js';
import { ExitCode, UserError } from '../../util/errors.js';
import type { World } from '../services.js';
import { requireCredentials } from '../start/credentials.js';
import { PERMISSION_TIMEOUT_S } from '../start/planTeam.js';
import type { FoundTeam } from './findTeam.js';

/** A team as it would be gone on with. Making it has touched nothing. */
export interface ResumePlan extends FoundTeam {
  readonly name: string;
  /** Where its lead works. */
  readonly cwd: string;
  readonly lead: Member;
  readonly members: readonly Member[];
  /** The team's own, as far as nothing else was said. */
  readonly settings: TeamSettings;
  /** That of whoever comes back. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the lead is told, where anything. */
  readonly prompt?: string | undefined;
}

export interface ResumeWish {
  readonly prompt?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  /** Whether a person sits at the lead from now on. */
  readonly interactive: boolean;
}

/** @throws UserError where it cannot be gone on with: its lead lives, or what it began with is not known. */
export async function planResume(world: World, found: FoundTeam, wish: ResumeWish): Promise<ResumePlan> {
  const { home } = world;
  const { team } = found;
  await refuseLiving(found);
  const lead = team.members.find(({ name }) => name === LEAD);
  if (!team.settings || !lead)
    throw new UserError(
      `The team "${team.name}" never got as far as to have a lead: start it anew with --replace.`,
      ExitCode.failed,
    );
  const { settings: before } = team;
  const { cwd } = lead;
  await useOwnModels(home.models);
  const { settings } = await loadSettings({
    cwd,
    userHome: userHome(),
    home,
    trusted: before.trusted,
    managed: managedFolder(),
  });
  const environment = { ...world.environment(), ...settings.env, ...before.templateEnv };
  requireCredentials(environment);
  const { maxTurns, maxBudgetUsd, interactive, prompt } = wish;
  const asked = before.permissionTimeoutMs > 0 ? before.permissionTimeoutMs : undefined;
  return {
    ...found,
    name: team.name,
    cwd,
    lead,
    members: team.members.filter(({ name }) => name !== LEAD),
    settings: {
      ...before,
      ...(maxTurns !== undefined && { maxTurns }),
      ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
      interactive,
      permissionTimeoutMs: interactive ? (asked ?? (settings.permissionTimeout ?? PERMISSION_TIMEOUT_S) * 1000) : 0,
    },
    environment,
    prompt,
  };
}

/** @throws UserError that says whose the team is. */
async function refuseLiving({ team: { name, leadProcess }, archived }: FoundTeam): Promise<void> {
  if (archived || !leadProcess || !(await isAlive(leadProcess))) return;
  throw new UserError(runsWords(name, leadProcess.pid));
}
