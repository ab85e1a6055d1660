import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Access, defineTool, type Tool, type ToolContext, type ToolOutput } from '../agent/tool.js';
import { userHome } from '../config/env.js';
import { type Mark, markedProcesses } from '../host/children.js';
import type { Clock } from '../host/clock.js';
import { isFreeCommand, pathsNamedBy } from '../permissions/freeCommand.js';
import { isWithin } from '../permissions/pathRule.js';
import { parseSimpleCommand } from '../permissions/simpleCommand.js';
import { ToolError } from '../util/errors.js';
import { createCommandOutput } from './support/commandOutput.js';
import { isFailure } from './support/exitMeaning.js';
import { realPathOf } from './support/paths.js';
import { runShell, type ShellEnd, trimWhileRunning } from './support/shell.js';

export interface BashDeps {
  readonly clock: Clock;
  /** The member's; children carry it with the call's id. */
  readonly mark: Mark;
  /** What commands get, before what keeps them quiet is set. */
  environment(): Record<string, string>;
  /** Where output over the limit stays, one file a call. */
  readonly outputFolder: string;
  /** Whether a `cd` lasts: for main agents, not for sub-agents. */
  readonly keepsCwd: boolean;
  /** The working directories, absolute and real. */
  folders(): readonly string[];
}

const DEFAULT_TIMEOUT_MS = 120_000;
const LONGEST_TIMEOUT_MS = 600_000;
const MOST_CHARACTERS = 30_000;
// The kernel takes no argument over 128 KiB.
const LONGEST_COMMAND = 100_000;

const Input = z.object({
  command: z.string().check(z.minLength(1)),
  timeout: z._default(
    z.int().check(z.minimum(1), z.maximum(LONGEST_TIMEOUT_MS), z.describe('Milliseconds')),
    DEFAULT_TIMEOUT_MS,
  ),
  description: z.optional(z.string().check(z.describe('What it does, in 5 to 10 words'))),
});
type Input = z.infer<typeof Input>;

export function createBashTool(deps: BashDeps): Tool {
  return defineTool({
    name: 'Bash',
    description:
      'Runs a command with bash. Stdin is empty; variables do not last from call to call. Use Read, Edit, Write, Glob and Grep for files.',
    input: Input,
    isReadOnly: false,
    access: ({ command }, { cwd }) => accessOf(command, cwd),
    call: (input, context) => runCommand(input, context, deps),
  });
}

function accessOf(command: string, cwd: string): Access {
  const simple = parseSimpleCommand(command);
  const named = simple ? pathsNamedBy(simple, cwd, userHome()) : [];
  const realPaths = named.map((path) => realPathOf(path)).filter((path) => !named.includes(path));
  return { kind: 'shell', command, ...(realPaths.length > 0 && { realPaths }) };
}

async function runCommand({ command, timeout }: Input, context: ToolContext, deps: BashDeps): Promise<ToolOutput> {
  if (context.signal.aborted) return { content: 'Cancelled before it started.', isError: true };
  if (Buffer.byteLength(command) > LONGEST_COMMAND)
    throw new ToolError('The command is too long. Write it to a script file and run that.');
  if (command.includes('\0')) throw new ToolError('The command holds a NUL character.');
  const cwd = await existingFolder(context.cwd, deps);
  const mark = { ...deps.mark, call: context.toolUseId };
  const file = join(deps.outputFolder, context.toolUseId.replace(/[^\w-]/g, '_'));
  const output = await createCommandOutput(`${file}.output`);
  const cwdFile = `${file}.cwd`;

  const env = isFreeToRun(command) ? withoutForeignGit(deps.environment()) : deps.environment();
  const { clock } = deps;
  const end = await runShell({ command, cwd, env, mark, timeout, output, cwdFile, clock, signal: context.signal });
  const { text, isWhole } = await output.read(MOST_CHARACTERS);
  const left = end.kind === 'exited' ? (await markedProcesses(mark)).length : 0;
  if (left > 0) void trimWhileRunning(mark, output, clock).catch(() => {});
  else await output.close();
  if (left === 0 && isWhole) await output.remove();

  const moved = await newFolder(cwdFile, context.cwd, deps);
  const running = left === 0 ? '' : `${left} of its processes still run, printing into ${output.path}.`;
  const notes = [endNote(end, timeout), running, moved.note].filter((note) => note !== '');
  const body = text.trimEnd();
  return {
    content: [...(body === '' && notes.length > 0 ? [] : [body || '(No output)']), ...notes].join('\n'),
    isError: end.kind !== 'exited' || isFailure(command, codeOf(end)),
    ...(moved.cwd !== undefined && { cwd: moved.cwd }),
  };
}

/** The agent's directory, or a working directory when that is gone. */
async function existingFolder(cwd: string, { folders }: BashDeps): Promise<string> {
  for (const folder of [cwd, ...folders()]) {
    if ((await stat(folder).catch(() => undefined))?.isDirectory()) return folder;
  }
  throw new ToolError(`The working directory ${cwd} does not exist any more.`);
}

/** Where the next command starts, and what the model should be told about it. */
async function newFolder(
  cwdFile: string,
  before: string,
  { keepsCwd, folders }: BashDeps,
): Promise<{ cwd?: string; note: string }> {
  const now = (await readFile(cwdFile, 'utf8').catch(() => '')).replace(/\n$/, '');
  await rm(cwdFile, { force: true });
  if (now === '' || now === before || now === realPathOf(before)) return { note: '' };
  const isInside = folders().some((folder) => isWithin(now, folder));
  if (keepsCwd && isInside) return { cwd: now, note: '' };
  const why = keepsCwd ? `${now} is outside the working directories` : 'a change of directory lasts for one command';
  return { note: `Shell cwd was reset to ${before}: ${why}.` };
}

function endNote(end: ShellEnd, timeout: number): string {
  switch (end.kind) {
    case 'timeout':
      return `The command did not end within ${timeout / 1000} s and was ended, with all it had started.`;
    case 'aborted':
      return 'Cancelled: the command was ended before it was done.';
    case 'exited':
      return codeOf(end) === 0
        ? ''
        : `Exit code ${codeOf(end)}${end.exit.signal === null ? '' : ` (${end.exit.signal})`}`;
  }
}

function codeOf(end: ShellEnd): number {
  if (end.kind !== 'exited') return 1;
  return end.exit.code ?? 128;
}

function isFreeToRun(command: string): boolean {
  const simple = parseSimpleCommand(command);
  return simple !== undefined && isFreeCommand(simple);
}

/** A folder made up to look like a bare repository would have git run the programs its config names. */
function withoutForeignGit(env: Record<string, string>): Record<string, string> {
  const { GIT_CONFIG_COUNT = '0' } = env;
  const count = Number(GIT_CONFIG_COUNT) || 0;
  return {
    ...env,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'safe.bareRepository',
    [`GIT_CONFIG_VALUE_${count}`]: 'explicit',
  };
}
