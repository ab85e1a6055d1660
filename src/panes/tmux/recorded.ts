import { isAlive, sendSignal } from '../../host/processes.js';
import { END_OF_PANES, listPanes, look } from './commands.js';
import { isUnsettled, type PaneRow, parseEnvironmentNames, parsePanes } from './parse.js';
import type { TmuxServerFacts } from './server.js';
import { isTmuxFailure, type Tmux } from './tmux.js';

/** The panes of the server that was recorded, and of no other that may have taken its socket since. */
export interface RecordedServer {
  isAlive(): Promise<boolean>;
  /** Its panes as they are now; none when it is gone. */
  panes(): Promise<PaneRow[]>;
  /** The same for many who ask at once: they share one call. */
  sharedPanes(): Promise<PaneRow[]>;
  /** Its panes, and the names of the variables that it gives to what it starts; nothing when it is gone. */
  look(): Promise<{ readonly rows: PaneRow[]; readonly environmentNames: string[] }>;
  /** The panes in what `list-panes` printed; none when another server printed it. */
  parse(lines: readonly string[]): Promise<PaneRow[]>;
}

export function recordedServer(tmux: Tmux, facts: TmuxServerFacts): RecordedServer {
  const process = { pid: facts.serverPid, procStart: facts.serverStart };

  async function parse(lines: readonly string[]): Promise<PaneRow[]> {
    const rows = parsePanes(lines, facts.sessionId);
    if (rows[0]?.serverPid !== facts.serverPid || !(await isAlive(process))) return [];
    // tmux 3.3 misses the end of about one in ten programs that die at once, until another child's end: so tell it.
    if (rows.some(isUnsettled)) await sendSignal(process, 'SIGCHLD');
    return rows;
  }

  async function ask(...commands: Parameters<Tmux>): Promise<string[]> {
    try {
      return await tmux(...commands);
    } catch (error) {
      if (isTmuxFailure(error, 'no-server')) return [];
      throw error;
    }
  }

  const panes = async () => parse(await ask(listPanes));

  let asked: Promise<PaneRow[]> | undefined;
  return {
    isAlive: () => isAlive(process),
    parse,
    panes,
    sharedPanes() {
      asked ??= panes().finally(() => {
        asked = undefined;
      });
      return asked;
    },
    async look() {
      const lines = await ask(...look(facts.sessionId));
      const end = lines.indexOf(END_OF_PANES);
      return {
        rows: await parse(lines.slice(0, end)),
        environmentNames: parseEnvironmentNames(lines.slice(end + 1)),
      };
    },
  };
}
