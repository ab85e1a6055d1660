import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { procStart } from '../../host/processes.js';
import type { Run } from '../../host/run.js';
import { listPanes } from './commands.js';
import { parsePanes } from './parse.js';
import { SESSION_MARK, scrubbed, socketName, type TmuxServerFacts } from './server.js';
import { createTmux } from './tmux.js';

/** A server that was started for a team, as it says itself. */
export interface FoundServer {
  readonly team: string;
  readonly facts: TmuxServerFacts;
  /** Members of the team whose programs still run in it. */
  readonly alive: readonly string[];
}

const SESSIONS = `#{pid}|#{session_id}|#{${SESSION_MARK}}`;

/** The living servers of teams of this home, whatever is left of their folders: what a socket is called says whose it is. */
export async function ownServers(given: {
  readonly home: string;
  readonly run: Run;
  readonly environment: Readonly<Record<string, string>>;
}): Promise<FoundServer[]> {
  const { TMUX_TMPDIR = '/tmp' } = given.environment;
  const folder = join(TMUX_TMPDIR, `tmux-${process.getuid?.()}`);
  const names = await readdir(folder).catch((): string[] => []);
  const sockets = names.filter((name) => name.startsWith('troupe-')).map((name) => join(folder, name));
  return (await Promise.all(sockets.map((path) => look(path, given).catch(() => [])))).flat();
}

/** Nothing where no server answers. */
async function look(
  socketPath: string,
  { home, run, environment }: Parameters<typeof ownServers>[0],
): Promise<FoundServer[]> {
  const tmux = createTmux(run, { socketPath }, [], scrubbed(environment));
  const [pid = '', sessionId = '', ...words] = (await tmux(['list-sessions', '-F', SESSIONS]))[0]?.split('|') ?? [];
  const team = words.join('|');
  const serverPid = Number(pid);
  const serverStart = await procStart(serverPid);
  if (socketName(team, home) !== basename(socketPath) || serverStart === undefined) return [];
  const alive = parsePanes(await tmux(listPanes)).filter((row) => row.team === team && !row.isDead);
  const facts = { socketPath, serverPid, serverStart, sessionId, ownsServer: true };
  return [{ team, facts, alive: alive.map(({ agent }) => agent) }];
}
