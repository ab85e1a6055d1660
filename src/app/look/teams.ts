import { variable } from '../../config/env.js';
import { homePath } from '../../config/paths.js';
import { MARK_VARIABLE, memberOfAncestors } from '../../host/children.js';
import { isAlive } from '../../host/processes.js';
import { listTeams } from '../../team/archive.js';
import { LEAD } from '../../team/member.js';
import type { Sender } from '../../team/messages.js';
import { hasEnded, readRunRecord } from '../../team/runRecord.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { ExitCode, UserError } from '../../util/errors.js';
import { nameProblem } from '../../util/names.js';
import { didYouMean } from '../../util/text.js';
import type { World } from '../services.js';

export type TeamState = 'starting' | 'running' | 'stopped' | 'crashed';

export async function stateOf({ home }: Pick<World, 'home'>, team: TeamFile): Promise<TeamState> {
  const lead = await readRunRecord(home.team(team.name).runRecord(LEAD));
  if (team.leadProcess && (await isAlive(team.leadProcess)))
    return lead?.readyAt !== undefined ? 'running' : 'starting';
  return lead && hasEnded(lead) ? 'stopped' : 'crashed';
}

/** All teams, with their states; and those whose files are broken. */
export async function allTeams(world: Pick<World, 'home'>) {
  const { teams, broken } = await listTeams(world.home);
  return {
    teams: await Promise.all(teams.map(async (team) => ({ ...team, state: await stateOf(world, team) }))),
    broken,
  };
}

/** The team that a command is about: the given one, `$TROUPE_TEAM`, or the only one that runs. @throws UserError. */
export async function chooseTeam(world: Pick<World, 'home'>, given?: string): Promise<TeamFile> {
  const name = given ?? variable('TROUPE_TEAM');
  if (name !== undefined) return namedTeam(world, name);
  const { teams } = await allTeams(world);
  const running = teams.filter(({ state }) => state === 'running' || state === 'starting');
  const choice = running.length > 0 ? running : teams;
  const [only] = choice;
  if (!only) throw new UserError('No team is running. Start one with: troupe up');
  if (choice.length > 1)
    throw new UserError(`Which team? Say it with -t: ${choice.map((team) => team.name).join(', ')}`);
  const { state: _, ...team } = only;
  return team;
}

async function namedTeam({ home }: Pick<World, 'home'>, name: string): Promise<TeamFile> {
  const problem = nameProblem(name);
  const team = problem === undefined ? await openTeamFile(home.team(name).config).read() : undefined;
  if (team) return team;
  const names = (await listTeams(home)).teams.map((other) => other.name);
  throw new UserError(
    `No team ${JSON.stringify(name)}.${didYouMean(name, names)} Teams: ${names.join(', ') || 'none'}`,
  );
}

/** The member whose tool started this command, whatever that did to its environment. */
const callingMember = () => memberOfAncestors(homePath()) ?? variable(MARK_VARIABLE);

/** `<name>@<team>` of the member whose tool started this command; nothing where a person did. */
export function callingAgent(): string | undefined {
  return callingMember()?.split(':')[0];
}

/** Who speaks: a person, unless the command was started by a member's own tool. */
export function speaker(team: TeamFile): Sender {
  const agentId = callingAgent();
  if (agentId === undefined) return { from: 'user' };
  const member = team.members.find((other) => other.agentId === agentId);
  if (!member)
    throw new UserError(
      `This command runs inside the member ${agentId}, which is not in team "${team.name}".`,
      ExitCode.refused,
    );
  return { from: member.name, color: member.color };
}

/** @throws UserError (exit 5) where a member's own tool says a command that only a person may. */
export function refuseMembers(command: string): void {
  const agentId = callingAgent();
  if (agentId === undefined) return;
  throw new UserError(
    `"troupe ${command}" is for a person: it was started by a tool of the member ${agentId}, and is refused.`,
    ExitCode.refused,
  );
}
