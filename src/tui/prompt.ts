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
  close(): void;
}

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
  readonly stdout: Writable & { readonly isTTY?: boolean };
}

/** In front of what is typed behind lines that were pasted. */
const MORE = '… ';
/** A terminal that is told so says where a paste begins and ends. */
const TELL_PASTES = '\x1b[?2004h';
const TELL_NO_PASTES = '\x1b[?2004l';

/** Lines that are kept while the terminal is lent. */
const MOST_HELD = 2000;

/** Reads lines from a terminal. A paste of several lines is one text, and waits for Enter. */
export function openPrompt(label: Shown, handlers: PromptHandlers, streams: Streams = process): Prompt {
  outliveTheTerminal(streams);
  let isClosed = false;
  let line: TypedLine | undefined = openLine(label, handlers, streams);
  let held: Shown[] = [];
  const takeBack = () => {
    const kept = held.splice(0);
    if (isClosed) {
      for (const words of kept) streams.stdout.write(`${words}\n`);
      return;
    }
    // While nobody read it, nobody would have been told of its end.
    if (streams.stdin.readableEnded || streams.stdin.destroyed) handlers.onEnd();
    line = openLine(label, handlers, streams);
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
    close() {
      isClosed = true;
      line?.close();
    },
  };
}

type TypedLine = Pick<Prompt, 'print' | 'close'>;

function openLine(label: Shown, { onLine, onInterrupt, onEnd }: PromptHandlers, { stdin, stdout }: Streams): TypedLine {
  const isTerminal = stdin.isTTY === true;
  let isOpen = true;
  let isPasting = false;
  let pasted: string[] = [];
  const input = createInterface({ input: stdin, output: stdout, prompt: String(label), terminal: isTerminal });
  const ask = () => {
    input.setPrompt(pasted.length > 0 ? MORE : String(label));
    input.prompt();
  };
  /** Or readline goes up by the rows that it drew before, over what is printed since. */
  const drawHere = () => Object.assign(input, { prevRows: 0 });
  const isEmpty = () => input.line === '' && pasted.length === 0;
  input.on('line', (line) => {
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
  return {
    print(line) {
      // What is typed may fill several rows.
      const rows = isOpen && isTerminal ? input.getCursorPos().rows : 0;
      if (stdout.isTTY === true) stdout.write(`\r${rows > 0 ? `\x1b[${rows}A` : ''}\x1b[J`);
      stdout.write(`${line}\n`);
      drawHere();
      if (isOpen) input.prompt(true);
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
