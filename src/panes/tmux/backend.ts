import { rm, stat } from 'node:fs/promises';
import type { Clock } from '../../host/clock.js';
import { processorTime, procStart, sendSignal } from '../../host/processes.js';
import type { Run } from '../../host/run.js';
import { UserError } from '../../util/errors.js';
import { createQueue } from '../../util/queue.js';
import { tail } from '../../util/text.js';
import type { Backend, Pane, PaneEnd, PaneRequest } from '../backend.js';
import { paneArgv } from './argv.js';
import { borderChanges, borderValues, setBorder, undressWindow } from './borders.js';
import * as command from './commands.js';
import { isAtLeast, isUnsettled, type PaneRow, parseCapture, parseVersion, signalName } from './parse.js';
import { createPlacing, type PlacingOptions } from './placing.js';
import { recordedServer } from './recorded.js';
import { SESSION_MARK, scrubbed, sessionName } from './server.js';
import { createStatusLines } from './statusLine.js';
import { createTiling } from './tiling.js';
import { createTmux, isTmuxFailure } from './tmux.js';

export interface TmuxBackendOptions extends PlacingOptions {
  readonly run: Run;
  readonly clock: Clock;
  /** That of whoever starts members. */
  readonly environment: Readonly<Record<string, string>>;
  /** The node and the script that panes run. */
  readonly program: readonly string[];
}

export interface TmuxBackend extends Backend {
  readonly type: 'tmux';
  /** The argv that shows the team on a terminal, with `pane` in front; inside the same server it switches there. */
  attachCommand(pane?: Pane): string[];
  /** Whether the pane is there and carries this team's mark, its program alive or dead. */
  has(pane: Pane): Promise<boolean>;
  /**
   * Moves a member's pane out of the team's windows, into one of its own, or back among the others. Returns where it is
   * then; nothing where that pane is not there, or not ours and this member's.
   */
  setHidden(pane: Pane, member: string, isHidden: boolean): Promise<Pane | undefined>;
  /** Ends the server if it is ours and the recorded one, and removes its socket. */
  closeServer(): Promise<void>;
  /** Puts back what was set on the user's window. */
  restoreWindow(): Promise<void>;
}

const GONE: PaneEnd = { code: null, signal: null, lastLines: '' };
/** UTF-16 units of a dead program's words that are kept. */
const LAST_WORDS = 4000;
/** Where no border has news, only a person can have changed something. */
const LOOKS_AGAIN_MS = 2500;
const KEEPS_ONLY_FAILED = { major: 3, minor: 2 };

/** Members in panes of one tmux server. Targets are ids on the recorded server, never names or indexes. */
export function createTmuxBackend(options: TmuxBackendOptions): TmuxBackend {
  const { facts, team, run, clock, environment, program } = options;
  const tmux = createTmux(run, { socketPath: facts.socketPath }, [], scrubbed(environment));
  const server = recordedServer(tmux, facts);
  const placing = createPlacing(tmux, options);
  const tiling = createTiling(tmux);
  const showLines = createStatusLines(tmux, facts.sessionId);
  // Splits of one window must not overlap, and only the last of a burst arranges it.
  const queue = createQueue();
  /** What the start before saw, for the next one in line: nobody else of us changes anything in between. */
  let lookedAt: Awaited<ReturnType<typeof server.look>> | undefined;
  let onScreen: ReadonlySet<string> | undefined;
  const shown = new Map<string, string>();
  let seen = { ofWhom: '', at: Number.NEGATIVE_INFINITY };

  async function arrange(rows: readonly PaneRow[]): Promise<void> {
    if (queue.waiting === 0) await tiling.arrange(rows, placing.arrangement(rows));
  }

  async function startInPane(request: PaneRequest): Promise<Pane> {
    const { rows, environmentNames } = lookedAt ?? (await server.look());
    lookedAt = undefined;
    const [first] = rows;
    if (first === undefined) {
      throw new UserError(
        `The tmux server of team "${team}" (process ${facts.serverPid}) is gone: troupe resume ${team}`,
      );
    }
    const { pane, lines, dress } = await placing.emptyPane(request, rows);
    try {
      const { role, launchFile, launchId, cwd } = request;
      const argv = paneArgv({ program, role, launchFile, launchId, environment, serverNames: environmentNames });
      await tmux(
        command.setPaneOption(pane.paneId, command.TEAM_MARK, team),
        command.setPaneOption(pane.paneId, command.AGENT_MARK, request.member),
        ...(request.isHidden ? [command.setPaneOption(pane.paneId, command.HIDDEN_MARK, '1')] : []),
        ...dress,
        ...setBorder(pane.paneId, borderValues({ ...request, state: 'starting' })),
        command.setPaneOption(pane.paneId, 'remain-on-exit', remainOnExit(first.version)),
        command.respawnPane(pane.paneId, cwd, argv),
      );
      const now = marked(lines ? await server.parse(lines) : rows, pane, request);
      if (queue.waiting > 0) lookedAt = { rows: now, environmentNames };
      await arrange(now);
      return pane;
    } catch (error) {
      await tmux(['kill-pane', '-t', pane.paneId]).catch(() => {});
      throw error;
    }
  }

  /** As tmux lists them once the member has its marks. */
  function marked(rows: readonly PaneRow[], pane: Pane, { member: agent, isHidden = false }: PaneRequest): PaneRow[] {
    return rows.map((row) => ({
      ...row,
      ...(row.windowId === pane.windowId && { windowTeam: team }),
      ...(row.paneId === pane.paneId && { team, agent, isHidden }),
    }));
  }

  /** Any other work in line than a start. */
  function inLine<T>(work: () => Promise<T>): Promise<T> {
    return queue.run(() => {
      lookedAt = undefined;
      return work();
    });
  }

  async function paneOf(pane: Pane): Promise<PaneRow | undefined> {
    return (await server.sharedPanes()).find((row) => row.paneId === pane.paneId && row.team === team);
  }

  async function captured(paneId: string, history: number | 'all'): Promise<string[]> {
    try {
      return parseCapture(await tmux(command.capturePane(paneId, history)));
    } catch (error) {
      if (isTmuxFailure(error, 'gone', 'no-server')) return [];
      throw error;
    }
  }

  return {
    type: 'tmux',

    start(request) {
      return queue.run(async () => {
        // tmux starts a program in the home directory when the asked one is missing, without a word.
        await requireFolder(request.cwd);
        return startInPane(request);
      });
    },

    async ended(pane) {
      const row = await settled(() => paneOf(pane), clock);
      if (row === undefined) return GONE;
      if (!row.isDead) return undefined;
      const lines = await captured(row.paneId, 'all');
      return {
        code: row.exitStatus === '' ? null : Number(row.exitStatus),
        signal: signalName(row.exitSignal),
        lastLines: tail(lines.join('\n'), LAST_WORDS),
      };
    },

    async effort(pane) {
      const row = await paneOf(pane);
      return row && !row.isDead ? processorTime(row.pid) : undefined;
    },

    async find(owner) {
      const rows = (await server.sharedPanes()).filter((row) => row.team === owner.team && row.agent === owner.member);
      const row = rows.find(({ isDead }) => !isDead);
      return row && { paneId: row.paneId, windowId: row.windowId, ownsPane: true };
    },

    async capture(pane, lines) {
      const row = await paneOf(pane);
      return row === undefined ? '' : (await captured(row.paneId, lines)).slice(-lines).join('\n');
    },

    close(pane, owner) {
      return inLine(async () => {
        if (!pane.ownsPane) return;
        const row = (await server.panes()).find(({ paneId }) => paneId === pane.paneId);
        if (row === undefined || row.team !== owner.team || row.agent !== owner.member) return;
        if (!row.isDead && owner.process !== undefined) {
          const { pid, procStart: started } = owner.process;
          if (row.pid !== pid || (await procStart(row.pid)) !== started) return;
        }
        await tmux(['kill-pane', '-t', row.paneId]).catch((error: unknown) => {
          if (!isTmuxFailure(error, 'gone', 'no-server')) throw error;
        });
        if (queue.waiting === 0) await arrange(await server.panes());
      });
    },

    refresh(members) {
      return inLine(async () => {
        if (!(await server.isAlive())) return;
        onScreen ??= new Set((await server.panes()).map(({ paneId }) => paneId));
        const changes = borderChanges(members, shown, onScreen);
        const ofWhom = members.map(({ pane }) => pane.paneId).join();
        const isAsSeen = changes.commands.length === 0 && ofWhom === seen.ofWhom;
        if (isAsSeen && clock.monotonic() - seen.at < LOOKS_AGAIN_MS) return;
        seen = { ofWhom, at: clock.monotonic() };
        try {
          const rows = await server.parse(await tmux(command.listPanes, ...changes.commands));
          onScreen = new Set(rows.filter((row) => row.team === team).map(({ paneId }) => paneId));
          for (const [key, value] of changes.shown) shown.set(key, value);
          await arrange(rows);
        } catch (error) {
          if (!isTmuxFailure(error, 'gone', 'no-server')) throw error;
          onScreen = undefined;
          seen = { ofWhom: '', at: Number.NEGATIVE_INFINITY };
        }
      });
    },

    ...(facts.ownsServer && {
      async statusLine(lines) {
        if (!(await server.isAlive())) return;
        await showLines(lines).catch((error: unknown) => {
          if (!isTmuxFailure(error, 'gone', 'no-server')) throw error;
        });
      },
    }),

    attachCommand(pane) {
      const { TMUX = '' } = environment;
      const isInside = TMUX.startsWith(`${facts.socketPath},`);
      const session = facts.ownsServer ? `=${sessionName(team)}` : facts.sessionId;
      const front: command.TmuxCommand[] =
        pane === undefined
          ? []
          : [
              ['select-window', '-t', pane.paneId],
              ['select-pane', '-t', pane.paneId],
            ];
      const show: command.TmuxCommand = [isInside ? 'switch-client' : 'attach-session', '-t', session];
      return ['tmux', '-u', '-S', facts.socketPath, ...command.joinCommands([...front, show])];
    },

    setHidden(pane, member, isHidden) {
      return inLine(async () => {
        const rows = await server.panes();
        const row = rows.find(({ paneId }) => paneId === pane.paneId);
        if (!pane.ownsPane || row === undefined || row.team !== team || row.agent !== member) return undefined;
        return isHidden ? placing.putAway(row, rows) : placing.bringBack(row, rows);
      });
    },

    has: async (pane) => (await paneOf(pane)) !== undefined,

    async closeServer() {
      if (!facts.ownsServer) return;
      try {
        const [owner = ''] = await tmux(['show-options', '-q', '-v', '-t', facts.sessionId, SESSION_MARK]);
        if (owner !== team || (await server.panes()).length === 0) return;
        // What kill-server does, without a client: in a pane of that server the client would be hung up with it.
        await sendSignal({ pid: facts.serverPid, procStart: facts.serverStart }, 'SIGTERM');
      } catch (error) {
        if (!isTmuxFailure(error, 'gone', 'no-server')) throw error;
        if (!isTmuxFailure(error, 'no-server')) return;
      }
      for (let tries = 0; tries < 500 && (await server.isAlive()); tries++) await clock.sleep(10);
      await rm(facts.socketPath, { force: true });
    },

    async restoreWindow() {
      if (facts.ownsServer) return;
      const rows = await server.panes();
      const dressed = new Set(rows.filter((row) => row.windowTeam === team).map(({ windowId }) => windowId));
      for (const windowId of dressed) {
        await undressWindow(tmux, windowId).catch((error: unknown) => {
          if (!isTmuxFailure(error, 'gone', 'no-server')) throw error;
        });
      }
    },
  };
}

/** `failed` keeps the pane of a program that failed; before that word existed, `on` keeps every pane. */
function remainOnExit(version: string): string {
  return isAtLeast(parseVersion(version), KEEPS_ONLY_FAILED) ? 'failed' : 'on';
}

async function requireFolder(path: string): Promise<void> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UserError(`There is no folder ${path} to start in.`);
}

/** Waits a moment for tmux to learn how a dead pane's program ended. */
async function settled(ask: () => Promise<PaneRow | undefined>, clock: Clock): Promise<PaneRow | undefined> {
  let row = await ask();
  for (let tries = 0; tries < 5 && row !== undefined && isUnsettled(row); tries++) {
    await clock.sleep(20);
    row = await ask();
  }
  return row;
}
