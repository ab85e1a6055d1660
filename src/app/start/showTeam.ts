import { hurried } from '../../host/children.js';
import { handOver } from '../../host/run.js';
import type { TmuxBackend } from '../../panes/tmux/backend.js';
import { LEAD } from '../../team/member.js';
import { livingRecord } from '../../team/shutdown.js';
import { leftBehind } from '../../team/start/undone.js';
import { openTeamFile } from '../../team/teamFile.js';
import { ExitCode, messageOf, UserError } from '../../util/errors.js';
import { shellLine } from '../../util/text.js';
import { type DownOptions, downTeam, leadMark } from '../end/down.js';
import { takeEndSignals } from '../interrupt.js';
import { leadHere, teammatesHere } from '../members/leadHere.js';
import { isStillOurs } from '../members/leadProcess.js';
import { type LeadTerminal, openLeadTerminal } from '../members/leadTerminal.js';
import { createLeaving } from '../members/leaving.js';
import { placeOf, startEngine, type World } from '../services.js';
import type { StartedTeam, TeamStart } from './startTeam.js';
import { keptWords } from './worktrees.js';

export interface ShowOptions {
  readonly world: World;
  readonly team: string;
  /** The lead's. */
  readonly color: string | undefined;
  readonly note: (line: string) => void;
  readonly detach: boolean;
  /** The team is taken down when this resolves. Without it a person says when. */
  readonly until?: ((team: string) => Promise<unknown>) | undefined;
  /** Starts everybody. */
  readonly begin: (parts: Pick<TeamStart, 'teammateHere' | 'leadHere' | 'progress'>) => Promise<StartedTeam>;
}

export interface ShownTeam {
  readonly team: string;
  /** What shows the team, for a shell. */
  readonly attach?: string;
}

/**
 * Begins a team and shows it to a person. Resolves when it runs (detached), when the person has detached, or when the
 * team has ended.
 */
export async function showTeam({ world, team, color, note, detach, until, begin }: ShowOptions): Promise<ShownTeam> {
  const engineEnd = new AbortController();
  const onError = (error: unknown) => note(messageOf(error));
  const engine = startEngine(world.clock, engineEnd.signal, onError);
  let shown: LeadTerminal | undefined;
  const leaving = createLeaving();
  const { stop, hurry, restore } = takeEndSignals(world.clock, () => leaving.ask('now'));
  const inTime = <T>(work: Promise<T>) =>
    hurried(work, { marks: [leadMark(world, { name: team })], hurry, clock: world.clock });
  const lead = leadHere({
    world,
    engine,
    // The terminal opens with the lead; until then there is nothing to show.
    view: {
      event: (event) => shown?.view.event(event),
      card: (request) => shown?.view.card(request),
      note: (line) => (shown ? shown.view.note(line) : note(line)),
      ask: async (question, signal) => shown?.view.ask?.(question, signal),
      members: () => {},
      statusLine: async (lines) => shown?.view.statusLine?.(lines),
    },
  });
  try {
    const starting = begin({
      teammateHere: teammatesHere(world, engine, (line) => (shown ? shown.view.note(line) : note(line))),
      leadHere: async (launchFile, signal, backend) => {
        shown = openLeadTerminal({
          world,
          team,
          color,
          interrupt: () => leaving.interrupt(),
          toBackground: () => leaving.toBackground(),
          onEnd: () => leaving.ask('after the call'),
        });
        return lead.start(launchFile, signal, backend);
      },
      progress: note,
    });
    const { open, lead: leadPane } = await inTime(starting);
    if (!open.leadIsHere && open.panes) {
      engineEnd.abort();
      if (leaving.wasAsked()) {
        await downIfOurs(world, team, { panes: open.panes, hurry, progress: note });
        throw stoppedBy(stop.signal, team);
      }
      const attach = open.panes.attachCommand(leadPane);
      const attached = detach ? undefined : handOver(attach[0] ?? 'tmux', attach.slice(1));
      if (until) {
        await until(team);
        await downIfUp(world, team, open.panes, hurry);
      }
      await attached;
      return { team, attach: shellLine(attach) };
    }
    leaving.attach(await lead.opened);
    until?.(team).then(() => leaving.ask('after the call'), onError);
    await inTime(lead.ended);
    if (await isStillOurs(placeOf(world, team).paths.config)) {
      const say = (line: string) => shown?.terminal.say(line);
      const { backend, panes } = open;
      const { keptWorktrees } = await downTeam({
        world,
        team,
        backend,
        panes,
        force: false,
        purge: false,
        hurry,
        progress: say,
      });
      for (const kept of keptWorktrees) say(keptWords(kept));
    }
    return { team };
  } catch (error) {
    if (stop.signal.aborted && shown === undefined && !(error instanceof StoppedError))
      throw stoppedBy(stop.signal, team, error);
    throw error;
  } finally {
    restore();
    engineEnd.abort();
    shown?.terminal.close();
  }
}

/** A signal came before anything was shown. */
class StoppedError extends UserError {}

function stoppedBy({ reason }: AbortSignal, team: string, cause?: unknown): StoppedError {
  const code = reason === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated;
  const left = leftBehind(cause);
  const stopped = `Stopped by ${reason} before "${team}" was up`;
  const words = left.length === 0 ? `${stopped}: nothing of it runs.` : [`${stopped}.`, ...left].join('\n');
  return new StoppedError(words, code, { cause });
}

/** Unless another process ends it already. */
async function downIfOurs(
  world: World,
  team: string,
  parts: Pick<DownOptions, 'panes' | 'hurry' | 'progress'>,
): Promise<void> {
  const place = placeOf(world, team);
  const owner = (await openTeamFile(place.paths.config).read())?.leadProcess;
  const lead = await livingRecord(place, LEAD);
  if (owner === undefined || (owner.pid !== lead?.pid && !(await isStillOurs(place.paths.config)))) return;
  await downTeam({ world, team, force: true, purge: false, ...parts });
}

/** A person may have taken it down meanwhile. */
async function downIfUp(world: World, team: string, panes: TmuxBackend, hurry: AbortSignal): Promise<void> {
  if (!(await openTeamFile(placeOf(world, team).paths.config).read())) return;
  await downTeam({ world, team, panes, force: false, purge: false, hurry, progress: () => {} });
}
