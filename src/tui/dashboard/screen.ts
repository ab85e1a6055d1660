import type { EventEmitter } from 'node:events';
import type { Clock } from '../../host/clock.js';
import { outliveTheTerminal, type Streams } from '../prompt.js';
import type { Theme } from '../theme.js';
import type { Size } from './board.js';
import type { Key } from './key.js';
import { readKeys } from './screenKeys.js';
import { asciiOnly } from './views/ascii.js';
import type { Span } from './views/cells.js';
import type { Frame } from './views/frame.js';

/** A terminal that is drawn in as a whole. */
export interface Screen {
  size(): Size;
  /** Draws what is not there already. A terminal that takes nothing at the moment gets the last frame when it does. */
  draw(frame: Frame): void;
  /** Gives the terminal back to the shell until this process is continued. */
  suspend(): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

export interface ScreenHandlers {
  readonly onKey: (key: Key) => void;
  /** Its size has changed, or all of it has to be drawn again. */
  readonly onResize: () => void;
  /** The terminal has gone away. */
  readonly onGone: () => void;
}

export interface ScreenStreams extends Streams {
  readonly stdout: Streams['stdout'] & { readonly columns?: number; readonly rows?: number };
}

export interface ScreenLook {
  readonly theme: Theme;
  /** The terminal knows no other characters. */
  readonly isAscii: boolean;
}

/** Its own page, no cursor, no wrapping at the right edge, pastes told apart from typing; and all that taken back. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J';
const LEAVE = '\x1b[m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l';
/** A process that nobody can continue does not stop: it goes on after this time. */
const STOPS_WITHIN_MS = 300;

/** Why nothing can be drawn here, if that is so. */
export function screenProblem(
  environment: Readonly<Record<string, string>>,
  { stdin, stdout }: Streams,
): string | undefined {
  if (stdin.isTTY !== true || stdout.isTTY !== true) return 'The dashboard needs a terminal';
  return environment['TERM'] === 'dumb' ? 'The dashboard cannot be drawn in a dumb terminal (TERM=dumb)' : undefined;
}

/** Takes the terminal. Whichever way this process ends, but by SIGKILL, the terminal is given back. */
export function openScreen(
  { onKey, onResize, onGone }: ScreenHandlers,
  look: ScreenLook,
  clock: Clock,
  streams: ScreenStreams = process,
): Screen {
  const { stdin, stdout } = streams;
  outliveTheTerminal(streams);
  let isEntered = false;
  let drawn: string[] = [];
  let waiting: Frame | undefined;
  const keys = readKeys(onKey);
  const onData = (chunk: unknown) => void keys.write(chunk);

  const enter = () => {
    if (isEntered) return;
    isEntered = true;
    drawn = [];
    stdin.setRawMode?.(true);
    stdin.on('data', onData);
    stdin.resume();
    stdout.write(ENTER);
  };
  const leave = () => {
    if (!isEntered) return;
    isEntered = false;
    stdin.off('data', onData);
    stdin.pause();
    stdout.write(LEAVE);
    stdin.setRawMode?.(false);
  };
  const enterAgain = () => {
    enter();
    onResize();
  };
  const draw = (frame: Frame) => {
    if (!isEntered) return;
    waiting = stdout.writableNeedDrain ? frame : undefined;
    if (waiting) return;
    const rows = frame.map((row) => rowText(row, look));
    const changes = rows.flatMap((row, index) => (row === drawn[index] ? [] : [`\x1b[${index + 1};1H\x1b[2K${row}`]));
    drawn = rows;
    if (changes.length > 0) stdout.write(changes.join(''));
  };
  const suspend = (pid: number) => {
    leave();
    // The signal's own effect, which our listener took away.
    process.off('SIGTSTP', onStop);
    process.kill(pid, 'SIGTSTP');
    clock.sleep(STOPS_WITHIN_MS).then(goOn, goOn);
  };
  const goOn = () => {
    if (isClosed || process.listeners('SIGTSTP').includes(onStop)) return;
    process.on('SIGTSTP', onStop);
    enterAgain();
  };
  const onStop = () => suspend(process.pid);
  const redraw = () => {
    drawn = [];
    if (isEntered) stdout.write('\x1b[2J');
    onResize();
  };
  const onDrain = () => {
    if (waiting) draw(waiting);
  };
  let isClosed = false;
  const listening = [
    on(stdout, 'resize', redraw),
    on(stdout, 'drain', onDrain),
    on(stdin, 'end', onGone),
    on(stdin, 'close', onGone),
    on(process, 'SIGCONT', goOn),
    on(process, 'exit', leave),
    on(process, 'uncaughtExceptionMonitor', leave),
  ];
  process.on('SIGTSTP', onStop);
  enter();
  return {
    size: () => ({ columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 }),
    draw,
    // The whole job, as a shell sees it: npx and its like in front of it too.
    suspend: () => suspend(0),
    close() {
      if (isClosed) return;
      isClosed = true;
      leave();
      keys.end();
      process.off('SIGTSTP', onStop);
      for (const stop of listening) stop();
    },
  };
}

/** A row as it is written, each piece at its column whatever the one before it takes. */
function rowText(row: Frame[number], { theme, isAscii }: ScreenLook): string {
  const painted = ({ text, style }: Span): string => {
    const words = isAscii ? asciiOnly(text) : text;
    if (style === undefined) return words;
    return String(typeof style === 'string' ? theme[style](words) : theme.member(words, style.member));
  };
  return row.map(({ column, line }) => `\x1b[${column + 1}G${line.map(painted).join('')}`).join('');
}

/** Listens; returns what ends that. */
function on(emitter: EventEmitter, event: string, listener: () => void): () => void {
  emitter.on(event, listener);
  return () => emitter.off(event, listener);
}
