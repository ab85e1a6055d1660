import { stat } from 'node:fs/promises';
import type { Clock } from '../../host/clock.js';
import { processorTime, procStart } from '../../host/processes.js';
import type { Run } from '../../host/run.js';
import { UserError } from '../../util/errors.js';
import { createQueue } from '../../util/queue.js';
import type { Backend, Pane, PaneEnd, PaneRequest } from '../backend.js';
import { paneArgv } from '../tmux/argv.js';
import { signalName } from '../tmux/parse.js';
import { createIt2, It2Error, type It2Failure } from './it2.js';
import { type PaneFiles, paneFiles } from './paneFiles.js';

export interface Iterm2BackendOptions {
  readonly team: string;
  readonly run: Run;
  readonly clock: Clock;
  /** That of whoever starts members. */
  readonly environment: Readonly<Record<string, string>>;
  /** The node and the script that panes run. */
  readonly program: readonly string[];
  /** The session of iTerm2 that members are split off. */
  readonly session: string;
  /** A member's launch file. What is known of its session lies beside it. */
  readonly launchFileOf: (member: string) => string;
}

const GONE: PaneEnd = { code: null, signal: null, lastLines: '' };
/** Between two looks whether a session is there, for each costs a start of it2. */
const LOOKS_AGAIN_MS = 3000;
/** A user's shell may set these before the program's first line. */
const EARLY = ['NODE_OPTIONS', 'NODE_PATH', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'LD_PRELOAD', 'LD_LIBRARY_PATH'];

/**
 * Members in sessions of iTerm2, through `it2`. That can only type into a shell: one short line without any secret, which
 * replaces the shell. How the process is and how it ended is read from files, never off the screen.
 */
export function createIterm2Backend(options: Iterm2BackendOptions): Backend {
  const { team, run, clock, environment, program, session: ofLead, launchFileOf } = options;
  const it2 = createIt2(run, environment);
  const queue = createQueue();
  const started = new Map<string, string | undefined>();
  let listed = { at: Number.NEGATIVE_INFINITY, sessions: new Set<string>() };
  let last: string | undefined;

  async function isThere(session: string): Promise<boolean> {
    if (clock.monotonic() - listed.at > LOOKS_AGAIN_MS)
      listed = { at: clock.monotonic(), sessions: new Set(await it2.list()) };
    return listed.sessions.has(session);
  }

  /** The files of a pane that is ours. */
  async function filesOf({ paneId, windowId }: Pane): Promise<PaneFiles | undefined> {
    if (windowId === undefined) return undefined;
    const files = paneFiles(launchFileOf(windowId));
    const placed = await files.placed();
    return placed?.session === paneId && placed.team === team ? files : undefined;
  }

  /** Its process, while it lives. */
  async function living(files: PaneFiles): Promise<number | undefined> {
    const pid = await files.pid();
    if (pid === undefined) return undefined;
    const start = await procStart(pid);
    const key = `${files.script} ${pid}`;
    if (!started.has(key)) started.set(key, start);
    return start !== undefined && started.get(key) === start ? pid : undefined;
  }

  async function endOf(files: PaneFiles, session: string): Promise<PaneEnd | undefined> {
    if ((await files.exitStatus()) === undefined) {
      if ((await living(files)) !== undefined) return undefined;
      if ((await files.pid()) === undefined && (await isThere(session))) return undefined;
      // The shell around it writes that down in a moment.
      for (let tries = 0; tries < 10 && (await files.exitStatus()) === undefined; tries++) await clock.sleep(20);
    }
    const status = await files.exitStatus();
    const signal = status !== undefined && status > 128 ? signalName(String(status - 128)) : null;
    const code = status === undefined || signal !== null ? null : status;
    return { code, signal, lastLines: await files.lastWords() };
  }

  async function besideWhich(): Promise<{ target: string; direction: 'right' | 'below' }> {
    const sessions = new Set(await it2.list());
    return last !== undefined && sessions.has(last)
      ? { target: last, direction: 'below' }
      : { target: ofLead, direction: 'right' };
  }

  async function startInSession(request: PaneRequest): Promise<Pane> {
    const { role, launchFile, launchId, cwd, member } = request;
    const files = paneFiles(launchFile);
    const line = lineFor(files.script);
    await files.writeScript(cwd, paneArgv({ program, role, launchFile, launchId, environment, serverNames: EARLY }));
    const { target, direction } = await besideWhich();
    const session = await it2.split(target, direction);
    try {
      listed = { at: Number.NEGATIVE_INFINITY, sessions: new Set() };
      await files.place({ session, team, member });
      await it2.type(session, line);
      last = session;
    } catch (error) {
      await it2.close(session).catch(() => {});
      await files.remove();
      throw error;
    }
    // What a person sees of it, and where their keys go, is no reason to give up.
    await it2.name(session, member).catch(() => {});
    await it2.focus(ofLead).catch(() => {});
    return { paneId: session, windowId: member, ownsPane: true };
  }

  return {
    type: 'iterm2',

    start: (request) =>
      queue.run(async () => {
        const isFolder = await stat(request.cwd).then(
          (found) => found.isDirectory(),
          () => false,
        );
        if (!isFolder) throw new UserError(`There is no folder ${request.cwd} to start in.`);
        return startInSession(request);
      }),

    async ended(pane) {
      const files = await filesOf(pane);
      return files ? endOf(files, pane.paneId) : GONE;
    },

    async find(owner) {
      const placed = await paneFiles(launchFileOf(owner.member)).placed();
      if (placed === undefined || placed.team !== owner.team || placed.member !== owner.member) return undefined;
      const pane = { paneId: placed.session, windowId: owner.member, ownsPane: true };
      const files = await filesOf(pane);
      return files && (await living(files)) !== undefined ? pane : undefined;
    },

    async capture(pane, lines) {
      const files = await filesOf(pane);
      if (!files) return '';
      const isAlive = (await living(files)) !== undefined;
      const text = isAlive ? await it2.read(pane.paneId).catch(unless('gone', '')) : await files.lastWords();
      return text.trimEnd().split('\n').slice(-lines).join('\n');
    },

    close: (pane, owner) =>
      queue.run(async () => {
        const files = await filesOf(pane);
        if (!files || !pane.ownsPane || owner.team !== team || owner.member !== pane.windowId) return;
        const pid = await living(files);
        if (pid !== undefined && owner.process !== undefined) {
          const { pid: expected, procStart: start } = owner.process;
          if (pid !== expected || (await procStart(pid)) !== start) return;
        }
        await it2.close(pane.paneId).catch(unless('gone', undefined));
        await files.remove();
      }),

    async effort(pane) {
      const files = await filesOf(pane);
      const pid = files && (await living(files));
      return pid === undefined ? undefined : processorTime(pid);
    },

    // A call of it2 for each member and each change would cost more than it shows.
    refresh: async () => {},
  };
}

function unless<T>(failure: It2Failure, otherwise: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof It2Error && error.failure === failure) return otherwise;
    throw error;
  };
}

/** For whatever shell the user has, in front of which a space keeps it out of most histories. @throws UserError for a path that no quotes hold in all of them. */
function lineFor(script: string): string {
  if (/['"\\!`$\n]/.test(script))
    throw new UserError(`${script} cannot be typed into every shell. Set TROUPE_HOME to a folder with a plain name.`);
  return ` exec /bin/sh '${script}'`;
}
