import { variable } from '../../config/env.js';
import { homeAt } from '../../config/paths.js';
import { hurried } from '../../host/children.js';
import { isAlive, thisProcess } from '../../host/processes.js';
import { LAUNCH_VARIABLE } from '../../panes/backend.js';
import { takeLaunch } from '../../team/start/launch.js';
import { openTeamFile } from '../../team/teamFile.js';
import { messageOf } from '../../util/errors.js';
import { downTeam, leadMark } from '../end/down.js';
import { takeEndSignals } from '../interrupt.js';
import { placeOf, startEngine, type World } from '../services.js';
import { becomeLaunched } from '../session/paneEnvironment.js';
import { recordedBackend } from '../start/backends.js';
import { openLead, runLead } from './lead.js';
import { openLeadTerminal } from './leadTerminal.js';
import { createLeaving } from './leaving.js';
import { unlessTeamGone } from './teamGone.js';

/** A lead in a pane of its own: `troupe lead --launch FILE`. Ends with its team. */
export async function runLeadProcess(outer: World, launchFile: string): Promise<void> {
  const launch = becomeLaunched(await takeLaunch(launchFile, variable(LAUNCH_VARIABLE)));
  const world = { ...outer, home: homeAt(launch.home) };
  const place = placeOf(world, launch.team);
  const team = await openTeamFile(place.paths.config).require();
  const panes = recordedBackend(world, team);
  if (!panes) throw new Error(`Team ${launch.team} has no tmux on record: its lead cannot run in a pane.`);
  const engineEnd = new AbortController();
  const hard = new AbortController();
  const leaving = createLeaving();
  const { view, terminal } = openLeadTerminal({
    world,
    team: launch.team,
    color: launch.color,
    interrupt: () => leaving.interrupt(),
    toBackground: () => leaving.toBackground(),
    onEnd: () => leaving.ask('after the call'),
  });
  const { hurry, restore } = takeEndSignals(world.clock, () => leaving.ask('now'));
  const inTime = <T>(work: Promise<T>) =>
    hurried(work, { marks: [leadMark(world, { name: launch.team })], hurry, clock: world.clock });
  const engine = startEngine(world.clock, engineEnd.signal, (error) => terminal.say(messageOf(error)));
  try {
    const session = await openLead({ world, engine, launch, backend: panes, view, signal: hard.signal });
    leaving.attach(session);
    await inTime(runLead(session, () => leaving.reason())).catch((error) =>
      unlessTeamGone(world, launch.team, terminal.say, error),
    );
    if (await isStillOurs(place.paths.config)) {
      await downTeam({
        world,
        team: launch.team,
        panes,
        force: false,
        purge: false,
        hurry,
        progress: (line) => terminal.say(line),
      });
    }
  } finally {
    restore();
    engineEnd.abort();
    terminal.close();
  }
}

/** `troupe down` in another shell takes the team over first. */
export async function isStillOurs(config: string): Promise<boolean> {
  const team = await openTeamFile(config).read();
  const self = await thisProcess();
  return team?.leadProcess?.pid === self.pid && team.leadProcess.procStart === self.procStart;
}

/** Whether another process that lives has taken the team over, which it does to end it. */
export async function isTakenDown(config: string): Promise<boolean> {
  const owner = (await openTeamFile(config).read())?.leadProcess;
  return owner !== undefined && (await isAlive(owner)) && !(await isStillOurs(config));
}
