import type { StatusLine } from '../../config/statusLineSettings.js';
import { fingerprint } from '../../store/fingerprint.js';
import type { RunRecord } from '../../team/runRecord.js';
import type { Launch, TeamSettings } from '../../team/start/launch.js';
import { messageOf } from '../../util/errors.js';
import type { StyledLine } from '../../util/styledText.js';
import type { World } from '../services.js';
import type { StatusLineRun } from './run.js';

export interface StatusLineDeps {
  readonly world: World;
  readonly launch: Launch;
  /** Where the lead works. */
  readonly cwd: () => string;
  readonly settings: () => TeamSettings;
  /** Looks whether the settings' files have changed. */
  readonly lookAtSettings: () => Promise<void>;
  /** An empty line where the command had nothing to say; no line at all where there is no such setting any more. */
  readonly show: (lines: readonly StyledLine[]) => Promise<void>;
  /** A line for the person. */
  readonly note: (line: string) => void;
}

export interface StatusLineView {
  /** Runs the command where something has changed since, and it does not run already. To be called about once a second. */
  look(members: readonly { readonly name: string; readonly record: RunRecord }[]): void;
  /** Ends what still runs of it. */
  close(): Promise<void>;
}

/** Keeps the status line of the setting `statusLine` up to date. */
export function createStatusLine(deps: StatusLineDeps): StatusLineView {
  const { world, launch, settings, lookAtSettings, show, note, cwd } = deps;
  const paths = world.home.team(launch.team);
  const closing = new AbortController();
  const told = new Set<string>();
  let run: StatusLineRun | undefined;
  let looking: Promise<void> | undefined;
  let seen = '';
  let isShown = false;

  const tell = (line: string) => {
    if (!told.has(line)) note(line);
    told.add(line);
  };

  /** Another one when something may have changed: costs two stats. A heartbeat is no change. */
  function printOf(statusLine: StatusLine, members: Parameters<StatusLineView['look']>[0]): string {
    const records = members.map(({ name, record }) => [name, record.generation, record.counter, record.state]);
    return JSON.stringify([statusLine, cwd(), fingerprint(paths.config), fingerprint(paths.tasks), records]);
  }

  async function step(members: Parameters<StatusLineView['look']>[0]): Promise<void> {
    await lookAtSettings();
    const { statusLine } = settings();
    const print = statusLine ? printOf(statusLine, members) : '';
    if (print === seen || closing.signal.aborted) return;
    seen = print;
    if (statusLine) {
      if (!run) {
        const { createStatusLineRun } = await import('./run.js');
        run = createStatusLineRun({ world, launch, cwd, tell, signal: closing.signal });
      }
      const lines = await run(statusLine);
      if (lines === undefined || closing.signal.aborted) return;
      isShown = true;
      await show(lines);
    } else if (isShown) {
      isShown = false;
      await show([]);
    }
  }

  return {
    look(members) {
      if (closing.signal.aborted) return;
      looking ??= step(members)
        .catch((error: unknown) => tell(`The status line cannot be shown: ${messageOf(error)}`))
        .finally(() => {
          looking = undefined;
        });
    },
    async close() {
      closing.abort();
      await looking;
      await run?.endAll();
    },
  };
}
