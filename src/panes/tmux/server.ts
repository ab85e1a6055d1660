import { createHash } from 'node:crypto';
import type { Clock } from '../../host/clock.js';
import { procStart } from '../../host/processes.js';
import type { Run } from '../../host/run.js';
import { UserError } from '../../util/errors.js';
import { foldName } from '../../util/names.js';
import type { Pane } from '../backend.js';
import { dressWindow } from './borders.js';
import { listPanes, PLACEHOLDER } from './commands.js';
import { checkVersion, type PaneRow, parsePanes } from './parse.js';
import { createTmux, isTmuxFailure, type Tmux, TmuxError } from './tmux.js';

/** Where pane ids mean something: this server and no later one on the same socket. */
export interface TmuxServerFacts {
  readonly socketPath: string;
  readonly serverPid: number;
  readonly serverStart: string;
  readonly sessionId: string;
  /** Whether we started it, and end it with the team. */
  readonly ownsServer: boolean;
}

type Environment = Readonly<Record<string, string>>;

/** The session option that says whose server it is. */
export const SESSION_MARK = '@troupe_session';

const SERVER_FACTS = '#{socket_path}|#{pid}|#{session_id}|#{pane_id}|#{window_id}';
const SIZE = { width: 200, height: 50 };

// tmux shows its environment to everyone who asks, so nothing else may get in.
const PUBLIC_VARIABLES = /^(PATH|HOME|SHELL|TERM|LANG|LC_.*|TMUX_TMPDIR)$/;

export function scrubbed(environment: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => PUBLIC_VARIABLES.test(name)));
}

/** The name of a team's session: tmux turns `.` and `:` of a name into `_`, and so do we with all else. */
export function sessionName(team: string): string {
  return team.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 24);
}

/** A name for `tmux -L`, the same for one team of one home and no other. */
export function socketName(team: string, home: string): string {
  const hash = createHash('sha256')
    .update(`${home}\0${foldName(team)}`)
    .digest('hex')
    .slice(0, 8);
  return `troupe-${sessionName(team)}-${hash}`;
}

/**
 * A tmux server for one team, with the user's configuration and an empty pane for the lead.
 * @throws UserError when tmux is missing or too old, or when members of an earlier start still run in it.
 */
export async function startOwnServer(given: {
  readonly team: string;
  readonly home: string;
  readonly run: Run;
  readonly clock: Clock;
  readonly environment: Environment;
}): Promise<{ facts: TmuxServerFacts; leadPane: Pane }> {
  const { team, home, run, clock, environment } = given;
  await requireTmux(run, environment);
  const tmux = createTmux(run, { socketName: socketName(team, home) }, [], scrubbed(environment));
  try {
    return await createSession(tmux, team);
  } catch (error) {
    if (!isTmuxFailure(error, 'duplicate', 'no-server')) throw error;
    await clearAway(tmux, team);
    await clock.sleep(50);
    return createSession(tmux, team);
  }
}

async function createSession(tmux: Tmux, team: string): Promise<{ facts: TmuxServerFacts; leadPane: Pane }> {
  const session = sessionName(team);
  const size = ['-x', String(SIZE.width), '-y', String(SIZE.height)];
  const [line = ''] = await tmux(
    ['new-session', '-d', '-s', session, ...size, '-n', session, '-P', '-F', SERVER_FACTS, '--', ...PLACEHOLDER],
    // A user's configuration may end what nobody is attached to: said in the call that creates it, or it is too late.
    ['set-option', '-t', `=${session}:`, 'destroy-unattached', 'off'],
    ['set-option', '-s', 'exit-unattached', 'off'],
    ['set-option', '-t', `=${session}:`, SESSION_MARK, team],
    // From the beginning: a border that comes later resizes what runs in the window.
    ...dressWindow(`=${session}:`, team),
  );
  const [socketPath = '', pid = '', sessionId = '', paneId = '', windowId = ''] = line.split('|');
  const serverPid = Number(pid);
  const serverStart = await procStart(serverPid);
  if (serverStart === undefined) throw new TmuxError('no-server', 'new-session', 'server exited unexpectedly');
  return {
    facts: { socketPath, serverPid, serverStart, sessionId, ownsServer: true },
    leadPane: { paneId, windowId, ownsPane: true },
  };
}

/** Ends what a killed start left of this team's server, unless somebody of the team still runs in it. */
async function clearAway(tmux: Tmux, team: string): Promise<void> {
  try {
    const alive = parsePanes(await tmux(listPanes)).filter((row) => row.team === team && !row.isDead);
    if (alive.length > 0) {
      const names = alive.map(({ agent }) => agent).join(', ');
      throw new UserError(
        `A tmux server of team "${team}" still runs ${names}. End them with "troupe down ${team} --force", then start again.`,
      );
    }
    await tmux(['kill-server']);
  } catch (error) {
    if (!isTmuxFailure(error, 'no-server')) throw error;
  }
}

/**
 * The tmux in which this was started, and how members are placed there: beside the lead only if its pane is alone
 * in its window. With `detach` the lead gets a window too, and there is no lead pane yet.
 * @throws UserError when that tmux is too old or does not know the pane.
 */
export async function useServer(given: {
  readonly environment: Environment;
  /** `$TMUX_PANE`. */
  readonly pane: string;
  readonly detach: boolean;
  readonly run: Run;
}): Promise<{ facts: TmuxServerFacts; leadPane?: Pane; dedicatedWindow: boolean }> {
  const { environment, pane, detach, run } = given;
  await requireTmux(run, environment);
  const around = serverAround(environment);
  const rows = around === undefined ? [] : await panesAround(run, environment);
  const row = rows.find(({ paneId }) => paneId === pane);
  if (around === undefined || row === undefined) {
    throw new UserError(`The tmux of $TMUX has no pane ${pane}. Start a new pane, or unset TMUX and TMUX_PANE.`);
  }
  checkVersion(row.version);
  const { serverPid, sessionId, windowId } = row;
  const serverStart = (await procStart(serverPid)) ?? '';
  const facts = { socketPath: around.socketPath, serverPid, serverStart, sessionId, ownsServer: false };
  if (detach) return { facts, dedicatedWindow: false };
  const isAlone = rows.filter((other) => other.windowId === windowId).length === 1;
  return { facts, leadPane: { paneId: pane, windowId, ownsPane: false }, dedicatedWindow: !isAlone };
}

/** How `chooseBackend` asks about this machine's tmux. */
export function tmuxProbe(run: Run, environment: Environment) {
  return {
    tmuxVersion: () => tmuxVersion(run, environment),
    answersForPane: async (pane: string) => (await panesAround(run, environment)).some(({ paneId }) => paneId === pane),
  };
}

/** What was said before, by PATH: a start asks when it decides and again when it begins. */
const versions = new WeakMap<Run, Map<string, string>>();

/** What `tmux -V` prints, or `undefined` when there is no tmux on the PATH. */
export async function tmuxVersion(run: Run, environment: Environment): Promise<string | undefined> {
  const { PATH = '' } = environment;
  const known = versions.get(run) ?? new Map<string, string>();
  const before = known.get(PATH);
  if (before !== undefined) return before;
  try {
    const { exitCode, stdout } = await run('tmux', ['-V'], { env: scrubbed(environment), timeout: 5000 });
    if (exitCode !== 0) return undefined;
    versions.set(run, known.set(PATH, stdout.trim()));
    return stdout.trim();
  } catch {
    return undefined;
  }
}

async function requireTmux(run: Run, environment: Environment): Promise<void> {
  const version = await tmuxVersion(run, environment);
  if (version === undefined)
    throw new UserError('There is no tmux on the PATH. Install it, or use --backend in-process.');
  checkVersion(version);
}

/** `$TMUX` is `<socket>,<server's pid>,<session's number>`. */
function serverAround({ TMUX = '' }: Environment): { socketPath: string; session: string } | undefined {
  const [, socketPath, session] = /^(.+),\d+,(\d+)$/.exec(TMUX) ?? [];
  return socketPath === undefined ? undefined : { socketPath, session: `$${session}` };
}

async function panesAround(run: Run, environment: Environment): Promise<PaneRow[]> {
  const around = serverAround(environment);
  if (around === undefined) return [];
  try {
    const tmux = createTmux(run, { socketPath: around.socketPath }, [], scrubbed(environment));
    return parsePanes(await tmux(listPanes), around.session);
  } catch (error) {
    if (error instanceof TmuxError) return [];
    throw error;
  }
}
