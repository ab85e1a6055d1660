import { constants } from 'node:os';
import { UserError } from '../../util/errors.js';

/** One pane as tmux lists it. Empty where tmux has nothing to say. */
export interface PaneRow {
  readonly serverPid: number;
  /** The server's version: that of the client may be another. */
  readonly version: string;
  readonly paneId: string;
  readonly windowId: string;
  readonly sessionId: string;
  readonly pid: number;
  readonly isDead: boolean;
  readonly exitStatus: string;
  readonly exitSignal: string;
  readonly width: number;
  readonly height: number;
  readonly windowWidth: number;
  readonly windowHeight: number;
  readonly windowLayout: string;
  readonly isZoomed: boolean;
  /** The team that shows its borders in this window. */
  readonly windowTeam: string;
  readonly team: string;
  readonly agent: string;
  readonly isHidden: boolean;
}

const FIELDS = [
  'pid',
  'version',
  'pane_id',
  'window_id',
  'session_id',
  'pane_pid',
  'pane_dead',
  'pane_dead_status',
  'pane_dead_signal',
  'pane_width',
  'pane_height',
  'window_width',
  'window_height',
  'window_layout',
  'window_zoomed_flag',
  '@troupe_window',
  '@troupe_team',
  '@troupe_agent',
  '@troupe_hidden',
] as const;

export const PANE_FORMAT = FIELDS.map((field) => `#{${field}}`).join('|');

/** The panes of a listing, each once: a window that is linked into several sessions is listed in each. */
export function parsePanes(lines: readonly string[], session?: string): PaneRow[] {
  const rows = new Map<string, PaneRow>();
  for (const row of lines.map(parsePane)) {
    if (!rows.has(row.paneId) || row.sessionId === session) rows.set(row.paneId, row);
  }
  return [...rows.values()];
}

function parsePane(line: string): PaneRow {
  const values = line.split('|');
  const text = (field: (typeof FIELDS)[number]) => values[FIELDS.indexOf(field)] ?? '';
  const number = (field: (typeof FIELDS)[number]) => Number(text(field));
  return {
    serverPid: number('pid'),
    version: text('version'),
    paneId: text('pane_id'),
    windowId: text('window_id'),
    sessionId: text('session_id'),
    pid: number('pane_pid'),
    isDead: text('pane_dead') === '1',
    exitStatus: text('pane_dead_status'),
    exitSignal: text('pane_dead_signal'),
    width: number('pane_width'),
    height: number('pane_height'),
    windowWidth: number('window_width'),
    windowHeight: number('window_height'),
    windowLayout: text('window_layout'),
    isZoomed: text('window_zoomed_flag') === '1',
    windowTeam: text('@troupe_window'),
    team: text('@troupe_team'),
    agent: text('@troupe_agent'),
    isHidden: text('@troupe_hidden') !== '',
  };
}

/** A pane is dead before tmux knows how its program ended. Before tmux 3.3, a signal stays untold. */
export function isUnsettled({ isDead, exitStatus, exitSignal }: PaneRow): boolean {
  return isDead && exitStatus === '' && exitSignal === '';
}

/** What `split-window -P` and `new-window -P` print. */
export function parseNewPane(lines: readonly string[]): { paneId: string; windowId: string } {
  const [, paneId, windowId] = /^(%\d+)\|(@\d+)$/.exec(lines[0] ?? '') ?? [];
  if (paneId === undefined || windowId === undefined) {
    throw new Error(`tmux made a pane and said ${JSON.stringify(lines.join('\n'))} instead of its id`);
  }
  return { paneId, windowId };
}

/** The names in what `show-environment` prints. A line inside a value may look like one more: too many do no harm. */
export function parseEnvironmentNames(lines: readonly string[]): string[] {
  return lines.flatMap((line) => /^([^\s=-][^\s=]*)=/.exec(line)?.[1] ?? []);
}

export interface TmuxVersion {
  readonly major: number;
  readonly minor: number;
}

/** `3.3a`, `tmux next-3.5`, `tmux 2.9`, `openbsd-6.6`: what cannot be read is taken for a new one. */
export function parseVersion(words: string): TmuxVersion {
  const [, major, minor] = /(?:^|tmux |next-)(\d+)\.(\d+)/.exec(words.trim()) ?? [];
  return major === undefined ? { major: 99, minor: 0 } : { major: Number(major), minor: Number(minor) };
}

export function isAtLeast({ major, minor }: TmuxVersion, wanted: TmuxVersion): boolean {
  return major > wanted.major || (major === wanted.major && minor >= wanted.minor);
}

/** Pane options, which carry our marks, came with this one. */
const OLDEST: TmuxVersion = { major: 3, minor: 0 };

/** Why this tmux cannot be used, or `undefined`. `words` is what `tmux -V` printed. */
export function versionProblem(words: string): string | undefined {
  if (isAtLeast(parseVersion(words), OLDEST)) return undefined;
  return `This is tmux ${words.replace(/^tmux /, '').trim()}; troupe needs tmux ${OLDEST.major}.${OLDEST.minor} or later.`;
}

/** @throws UserError that names the version. */
export function checkVersion(words: string): void {
  const problem = versionProblem(words);
  if (problem !== undefined) throw new UserError(`${problem} Install a newer one, or use --backend in-process.`);
}

/** `KILL`, `9` or `SIGKILL` → `SIGKILL`. */
export function signalName(signal: string): string | null {
  if (signal === '') return null;
  const named = Object.entries(constants.signals).find(([, value]) => value === Number(signal));
  return named?.[0] ?? (signal.startsWith('SIG') ? signal : `SIG${signal}`);
}

/** What a pane showed, without the empty lines at its end and tmux's own note that it is dead. */
export function parseCapture(lines: readonly string[]): string[] {
  const text = lines.map((line) => line.trimEnd()).filter((line) => !/^Pane is dead( \(.*\))?$/.test(line));
  while (text.at(-1) === '') text.pop();
  return text;
}
