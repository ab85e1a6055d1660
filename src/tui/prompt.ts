import { createInterface } from 'node:readline';
import { hasCode } from '../util/errors.js';

/** What a terminal says that has gone away. */
const GONE = ['EIO', 'EPIPE', 'EBADF', 'ENXIO'];

/** A line of input at the bottom of a pane, with what happens printed above it. */
export interface Prompt {
  /** Prints above the line that is being typed, which stays. */
  print(line: string): void;
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

/** Reads lines from this process's terminal. */
export function openPrompt(label: string, { onLine, onInterrupt, onEnd }: PromptHandlers): Prompt {
  outliveTheTerminal();
  let isOpen = true;
  const input = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: label,
    terminal: process.stdin.isTTY === true,
  });
  input.on('line', (line) => {
    onLine(line);
    input.prompt();
  });
  input.on('SIGINT', () => {
    if (input.line === '') return onInterrupt();
    process.stdout.write('^C\n');
    // Ctrl-U and Ctrl-K in one: the typed text goes, agents go on.
    input.write(null, { ctrl: true, name: 'e' });
    input.write(null, { ctrl: true, name: 'u' });
    input.prompt();
  });
  const onKey = (_: unknown, key: { readonly name?: string } | undefined) => {
    if (key?.name === 'escape' && input.line === '') onInterrupt();
  };
  process.stdin.on('keypress', onKey);
  input.once('close', () => {
    isOpen = false;
    process.stdin.off('keypress', onKey);
  });
  input.on('close', onEnd);
  input.prompt();
  return {
    print(line) {
      if (process.stdout.isTTY === true) process.stdout.write('\r\x1b[J');
      process.stdout.write(`${line}\n`);
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

/** Lets this process finish its work when its terminal goes: readline would end it in the middle. */
function outliveTheTerminal(): void {
  const { stdin, stdout } = process;
  stdin.on('error', unlessGone);
  stdout.on('error', unlessGone);
  if (stdin.isTTY !== true) return;
  const setRawMode = stdin.setRawMode.bind(stdin);
  stdin.setRawMode = (isRaw) => {
    try {
      setRawMode(isRaw);
    } catch (error) {
      unlessGone(error);
    }
    return stdin;
  };
}
