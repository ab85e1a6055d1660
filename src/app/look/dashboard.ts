import { watchFolder } from '../../store/watchFile.js';
import { requireMember } from '../../team/member.js';
import { openTeamFile } from '../../team/teamFile.js';
import type { Act } from '../../tui/dashboard/board.js';
import { type DashboardEnd, showDashboard } from '../../tui/dashboard/dashboard.js';
import { type ScreenStreams, screenProblem } from '../../tui/dashboard/screen.js';
import { createSnapshots, type FoundBoard } from '../../tui/dashboard/snapshot.js';
import { isAsciiLocale } from '../../tui/dashboard/views/ascii.js';
import { theme, wantsColor } from '../../tui/theme.js';
import { UserError } from '../../util/errors.js';
import { oneLine } from '../../util/text.js';
import { interruptMember } from '../end/interruptMember.js';
import { shutdownMembers } from '../end/shutdown.js';
import { type FoundTeam, findTeam } from '../resume/findTeam.js';
import type { World } from '../services.js';
import { chooseAnyTeam, pathsOfAny } from './anyTeam.js';
import { answerPermission, answerPlan } from './decisions.js';
import { send } from './send.js';
import { stateOf } from './teams.js';

export interface DashboardWish {
  readonly team?: string | undefined;
  /** Whose transcript is shown first. */
  readonly member?: string | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly streams?: ScreenStreams | undefined;
}

const GRACE_MS = 20_000;

/** Shows a team full-screen, also one from the archive, until the person leaves. @throws UserError where nothing can be drawn */
export async function dashboard(
  world: World,
  { team: given, member, signal, streams = process }: DashboardWish,
): Promise<DashboardEnd> {
  const found = await chooseAnyTeam(world, given);
  const { name } = found.team;
  const problem = screenProblem(world.environment(), streams);
  if (problem !== undefined) throw new UserError(`${problem}. Without one: troupe status -t ${name}`);
  const environment = world.environment();
  const { home, clock, ids } = world;
  const paths = pathsOfAny(world, found);
  const { find, carryOut } = lookedAt(world, found);
  return showDashboard({
    snapshots: createSnapshots({
      find,
      transcript: (sessionId) => home.session(sessionId).transcript,
      clock,
      ids,
    }),
    carryOut,
    watch(onChange, until) {
      for (const folder of [paths.root, paths.run, paths.requests, paths.tasks, paths.inboxes])
        watchFolder(folder, onChange, until);
    },
    look: { theme: theme(wantsColor(environment, true)), isAscii: isAsciiLocale(environment) },
    clock,
    signal,
    member: member === undefined ? undefined : requireMember(found.team, member).name,
    streams,
  });
}

/** A team that is looked at, and what a person may want of it while it is there. */
export function lookedAt(world: World, found: FoundTeam) {
  const find = finding(world, found);
  return {
    find,
    async carryOut(act: Act): Promise<string> {
      const now = await find();
      // Another team may have its name by now.
      if (!now || now.state === 'archived') throw new UserError('The team has ended: nobody is there to hear of it.');
      return carriedOut(world, now.team.name, act);
    },
  };
}

/** Looks for the team where it was, and in the archive once it is taken down; nothing where it is gone from there too. */
function finding(world: World, begun: FoundTeam): () => Promise<FoundBoard | undefined> {
  let found = begun;
  return async () => {
    const { name, createdAt } = begun.team;
    if (!found.archived) {
      const team = await openTeamFile(world.home.team(name).config).read();
      if (team?.createdAt === createdAt)
        return { team, state: await stateOf(world, team), paths: world.home.team(name) };
      const archived = await findTeam(world, name).catch(() => undefined);
      if (archived?.team.createdAt !== createdAt) return undefined;
      found = archived;
    }
    return { team: found.team, state: 'archived', paths: pathsOfAny(world, found) };
  };
}

/** Does what the command of that name does, and says so. */
async function carriedOut(world: World, team: string, act: Act): Promise<string> {
  switch (act.type) {
    case 'approve': {
      const { from } = await answerPlan(world, team, act.id, { approve: true });
      return `Approved the plan of ${from}.`;
    }
    case 'reject': {
      const { from } = await answerPlan(world, team, act.id, { approve: false, feedback: act.feedback });
      return `Rejected the plan of ${from}.`;
    }
    case 'allow': {
      const { from, description = '' } = await answerPermission(world, team, act.id, {
        allow: true,
        always: act.always,
      });
      return `Allowed ${from}: ${oneLine(description, 120)}`;
    }
    case 'deny': {
      const message = act.reason || undefined;
      const { from, description = '' } = await answerPermission(world, team, act.id, { allow: false, message });
      return `Denied ${from}: ${oneLine(description, 120)}`;
    }
    case 'send': {
      const { delivered, failed } = await send(world, team, { to: act.to, text: act.text });
      const problems = [
        ...failed.map(({ name, because }) => `${name}: ${because}`),
        ...delivered.filter(({ alive }) => !alive).map(({ name }) => `${name} is not running, and reads it when it is`),
      ];
      return problems.join('; ') || `Sent to ${act.to}.`;
    }
    case 'interrupt': {
      const { name, how } = await interruptMember(world, team, act.member);
      return how === 'nothing' ? `${name} has no turn to end.` : `${name} is interrupted.`;
    }
    case 'shutdown': {
      const wish = { team, members: [act.member], all: false, force: false, graceMs: GRACE_MS };
      const [outcome] = await shutdownMembers(world, wish);
      return outcome?.how === 'rejected' ? `${outcome.name} stays: ${outcome.reason}` : `${act.member} has ended.`;
    }
  }
}
