import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { hasCode } from '../util/errors.js';
import type { Shown } from './shown.js';

/** What a terminal says that has gone away. */
const GONE = ['EIO', 'EPIPE', 'EBADF', 'ENXIO'];

/** A line of input at the bottom of a pane, with what happens printed above it. */
export interface Prompt {
  /** Prints above the line that is being typed, which stays. */
  print(line: Shown): void;
  /** Gives the terminal to `work`, which draws in it. What is printed meanwhile comes behind it. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Rows above the line that is being typed, for so many columns. On a terminal only. */
  setStatus(rows: StatusRows): void;
  close(): void;
}

export type StatusRows = (columns: number) => readonly Shown[];

export interface PromptHandlers {
  /** A line was typed. */
  readonly onLine: (line: string) => void;
  /** Ctrl-C or Esc with nothing typed; Ctrl-C clears a typed line. */
  readonly onInterrupt: () => void;
  /** Ctrl-D, or the terminal went away. */
  readonly onEnd: () => void;
}

/** A terminal's two directions; this process's are `process`. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
}

/** In front of what is typed behind lines that were pasted. */
const MORE = '… ';
/** A terminal that is told so says where a paste begins and ends. */
const TELL_PASTES = '\x1b[?2004h';
const TELL_NO_PASTES = '\x1b[?2004l';

/** Of a terminal that does not say. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** Lines that are kept while the terminal is lent. */
const MOST_HELD = 2000;

/** Reads lines from a terminal. A paste of several lines is one text, and waits for Enter. */
export function openPrompt(label: Shown, handlers: PromptHandlers, streams: Streams = process): Prompt {
  outliveTheTerminal(streams);
  let isClosed = false;
  let rows: StatusRows = () => [];
  const open = () => openLine(label, handlers, streams, (columns) => rows(columns));
  let line: TypedLine | undefined = open();
  let held: Shown[] = [];
  const takeBack = () => {
    const kept = held.splice(0);
    if (isClosed) {
      for (const words of kept) streams.stdout.write(`${words}\n`);
      return;
    }
    // While nobody read it, nobody would have been told of its end.
    if (streams.stdin.readableEnded || streams.stdin.destroyed) handlers.onEnd();
    line = open();
    for (const words of kept) line.print(words);
  };
  return {
    print(words) {
      if (line) line.print(words);
      else held = [...held, words].slice(-MOST_HELD);
    },
    async lend(work) {
      line?.close();
      line = undefined;
      try {
        return await work();
      } finally {
        takeBack();
      }
    },
    setStatus(now) {
      rows = now;
      line?.redraw();
    },
    close() {
      isClosed = true;
      line?.close();
    },
  };
}

interface TypedLine extends Pick<Prompt, 'print' | 'close'> {
  /** Draws it anew, with the status as it is now. */
  redraw(): void;
}

function openLine(
  label: Shown,
  { onLine, onInterrupt, onEnd }: PromptHandlers,
  { stdin, stdout }: Streams,
  status: StatusRows,
): TypedLine {
  const isTerminal = stdin.isTTY === true;
  let isOpen = true;
  let isPasting = false;
  let pasted: string[] = [];
  const input = createInterface({ input: stdin, output: stdout, prompt: String(label), terminal: isTerminal });
  let above: readonly string[] = [];
  const setPrompt = () => {
    above = isTerminal && pasted.length === 0 ? status(stdout.columns ?? DEFAULT_COLUMNS).map(String) : [];
    input.setPrompt([...above, pasted.length > 0 ? MORE : String(label)].join('\n'));
  };
  const ask = () => {
    setPrompt();
    input.prompt();
  };
  const goUp = (rows: number) => `\r${rows > 0 ? `\x1b[${rows}A` : ''}\x1b[J`;
  /** What has been typed stays on the screen; the status that stood above it does not. */
  const leaveTyped = (typed: string, rowsBelow: number) => {
    if (above.length === 0) return;
    const { line, cursor } = input;
    Object.assign(input, { line: typed, cursor: typed.length });
    const rows = input.getCursorPos().rows + rowsBelow;
    Object.assign(input, { line, cursor });
    if (rows < (stdout.rows ?? DEFAULT_ROWS)) stdout.write(`${goUp(rows)}${label}${typed}${'\n'.repeat(rowsBelow)}`);
  };
  /** Or readline goes up by the rows that it drew before, over what is printed since. */
  const drawHere = () => Object.assign(input, { prevRows: 0 });
  const isEmpty = () => input.line === '' && pasted.length === 0;
  input.on('line', (line) => {
    leaveTyped(line, 1);
    pasted.push(line);
    if (!isPasting) {
      const text = pasted.join('\n');
      pasted = [];
      onLine(text);
    }
    if (isOpen) ask();
  });
  input.on('SIGINT', () => {
    if (isEmpty()) return onInterrupt();
    pasted = [];
    // Ctrl-U and Ctrl-K in one: the typed text goes, agents go on.
    input.write(null, { ctrl: true, name: 'e' });
    leaveTyped(input.line, 0);
    stdout.write('^C\n');
    drawHere();
    input.write(null, { ctrl: true, name: 'u' });
    ask();
  });
  const onKey = (_: unknown, key: { readonly name?: string } | undefined) => {
    if (key?.name === 'escape' && isEmpty()) onInterrupt();
    if (key?.name === 'paste-start') isPasting = true;
    if (key?.name === 'paste-end') isPasting = false;
  };
  stdin.on('keypress', onKey);
  if (isTerminal) stdout.write(TELL_PASTES);
  input.once('close', () => {
    isOpen = false;
    stdin.off('keypress', onKey);
    if (isTerminal) stdout.write(TELL_NO_PASTES);
  });
  input.on('close', onEnd);
  ask();
  const takeAway = () => {
    // What is typed may fill several rows.
    const rows = isOpen && isTerminal ? input.getCursorPos().rows : 0;
    if (stdout.isTTY === true) stdout.write(goUp(rows));
    drawHere();
  };
  return {
    print(line) {
      takeAway();
      stdout.write(`${line}\n`);
      if (isOpen) input.prompt(true);
    },
    redraw() {
      if (!isOpen || !isTerminal) return;
      takeAway();
      setPrompt();
      input.prompt(true);
    },
    close() {
      input.off('close', onEnd);
      input.close();
    },
  };
}

function unlessGone(error: unknown): void {
  if (!hasCode(error, ...GONE)) throw error;
}

const outlived = new WeakSet<Streams['stdin']>();

/** Lets this process finish its work when its terminal goes: readline would end it in the middle. */
export function outliveTheTerminal({ stdin, stdout }: Streams): void {
  if (outlived.has(stdin)) return;
  outlived.add(stdin);
  stdin.on('error', unlessGone);
  stdout.on('error', unlessGone);
  const setRawMode = stdin.setRawMode?.bind(stdin);
  if (stdin.isTTY !== true || setRawMode === undefined) return;
  stdin.setRawMode = (isRaw) => {
    try {
      setRawMode(isRaw);
    } catch (error) {
      unlessGone(error);
    }
    return stdin;
  };
}
