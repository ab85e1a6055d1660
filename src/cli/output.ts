import { fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { actionsFacts, isCi } from '../app/terminalFacts.js';
import { inert, inertJson } from '../report/workflowCommands.js';
import { wantsColor } from '../tui/theme.js';
import { hasCode } from '../util/errors.js';
import { visible } from '../util/visible.js';
import { measureFor } from '../util/width.js';

/** What a command prints: data to stdout, words about it to stderr. */
export interface Output {
  /** The same thing for a script and for a person. */
  data(value: unknown, text: string): void;
  /** One object a line, or one line of text: for what is followed. */
  item(value: unknown, text: string): void;
  /** To stderr. */
  note(line: string): void;
}

export function createOutput(options: { readonly json?: boolean | undefined }): Output {
  const print = (value: unknown, text: string, indent?: number) =>
    printLine(options.json ? inertJson(JSON.stringify(value, null, indent)) : unobeyed(text));
  return {
    data: (value, text) => print(value, text, 2),
    item: (value, text) => print(value, text),
    note,
  };
}

/** Text that is coloured once nothing that members wrote in it can be taken for a colour, or for anything worse. */
export function printPainted(text: string, paint: (text: string) => string): void {
  printLine(paint(unobeyed(text)));
}

/** Whether colours are wanted on stdout. */
export function isColored(environment: Readonly<Record<string, string>>): boolean {
  return wantsColor(environment, isatty(descriptors.stdout));
}

/** What members wrote is much of what is printed: neither GitHub's runner nor a terminal finds a command there. */
function unobeyed(text: string): string {
  if (isatty(descriptors.stdout)) return visible(text);
  return isRunnerReading() ? inert(text) : text;
}

/** Whether GitHub's runner looks for commands in what goes to stdout. */
export function isRunnerReading(): boolean {
  return actionsFacts() !== undefined && !isStdoutFile();
}

/** One line, or several, to stdout; nothing for an empty text. */
export function printLine(text: string): void {
  if (text !== '') write('stdout', text.endsWith('\n') ? text : `${text}\n`);
}

/** Words for a person: whatever a model said in them, GitHub's runner finds no command there. */
export function note(line: string): void {
  const shown = isatty(descriptors.stderr) ? visible(line) : line;
  write('stderr', `${actionsFacts() ? inert(shown) : shown}\n`);
}

/** A line that GitHub's runner is to obey. */
export function noteCommand(line: string): void {
  write('stderr', `${line}\n`);
}

/** Whether stdout goes to a file, where no program reads along. */
function isStdoutFile(): boolean {
  return fstatSync(descriptors.stdout).isFile();
}

const descriptors = { stdout: 1, stderr: 2 } as const;
const streamOf = { stdout: () => process.stdout, stderr: () => process.stderr };
const streams = new Set<'stdout' | 'stderr'>();
const closings = new Set<() => void>();

/** Straight to the descriptor: making `process.stdout` takes a tenth of a short command's time. */
function write(to: 'stdout' | 'stderr', text: string): void {
  if (streams.has(to)) {
    streamOf[to]().write(text);
    return;
  }
  let rest: Uint8Array = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptors[to], rest));
  } catch (error) {
    if (hasCode(error, 'EAGAIN')) writeLater(to, rest);
    else lost(to, error);
  }
}

/** A slow reader of a pipe that does not block: from here on the stream waits for it, and keeps the order. */
function writeLater(to: 'stdout' | 'stderr', rest: Uint8Array): void {
  streams.add(to);
  streamOf[to]().on('error', (error) => lost(to, error));
  streamOf[to]().write(rest);
}

function lost(to: 'stdout' | 'stderr', error: unknown): void {
  if (!hasCode(error, 'EPIPE', 'EIO')) throw error;
  if (to === 'stdout') for (const onClosed of closings) onClosed();
}

export function isTerminal(): boolean {
  return process.stdout.isTTY === true && process.stdin.isTTY === true;
}

/** Whether a question makes sense: a terminal, and not a CI that has one. */
export function canAsk(): boolean {
  return isTerminal() && !isCi();
}

/** A yes or no from the person; no unless they say yes. */
export async function confirm(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const input = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await input.question(`${visible(question)} [y/N] `)).trim());
  } finally {
    input.close();
  }
}

/** All of standard input as text. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

export function isStdinPiped(): boolean {
  return process.stdin.isTTY !== true;
}

/** Calls `onClosed` when nobody reads stdout any more, be it a pipe or a terminal, instead of dying with a stack. */
export function onBrokenPipe(onClosed: () => void): void {
  closings.add(onClosed);
}

/** Rows as columns, each as wide as its widest cell. */
export async function table(rows: readonly (readonly string[])[]): Promise<string> {
  const width = await measureFor(rows.flat());
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, width(cell));
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => (index === row.length - 1 ? cell : cell + ' '.repeat((widths[index] ?? 0) - width(cell))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
