import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { TaskRegistry } from '../agent/background/background.js';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../agent/tool.js';
import { userHome } from '../config/env.js';
import { containMarked, type Mark, markedProcesses } from '../host/children.js';
import { type Clock, within } from '../host/clock.js';
import { factsOf } from '../permissions/facts.js';
import { isWithin } from '../permissions/pathRule.js';
import { loadShell } from '../permissions/shell/load.js';
import { messageOf, ToolError } from '../util/errors.js';
import { oneLine } from '../util/text.js';
import { filesLike } from './support/files/filesLike.js';
import { realPathOf } from './support/files/paths.js';
import { createCommandOutput } from './support/shell/commandOutput.js';
import { codeOf, isFailure } from './support/shell/exitMeaning.js';
import { asPrinted, runShell, type ShellCall, type ShellEnd, watchChildren } from './support/shell/shell.js';

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
  /** Processes that a call may have at a time; a fork bomb has more. */
  readonly mostProcesses?: number;
  /** Where commands go that nobody waits for; absent where there is no such place. */
  readonly background?: Pick<TaskRegistry, 'begin'> | undefined;
  /** The working directories, absolute and real. */
  folders(): readonly string[];
}

const DEFAULT_TIMEOUT_MS = 120_000;
const LONGEST_TIMEOUT_MS = 600_000;
const MOST_CHARACTERS = 30_000;
// The kernel takes no argument over 128 KiB.
const LONGEST_COMMAND = 100_000;
const MOST_PROCESSES = 500;

const ALWAYS = {
  command: z.string().check(z.minLength(1)),
  timeout: z._default(
    z.int().check(z.minimum(1), z.maximum(LONGEST_TIMEOUT_MS), z.describe('Milliseconds')),
    DEFAULT_TIMEOUT_MS,
  ),
  description: z.optional(z.string().check(z.describe('What it does, in 5 to 10 words'))),
};
const BACKGROUND = {
  run_in_background: z.optional(
    z.boolean().check(z.describe('Go on at once, without a time limit; you are told when it has ended')),
  ),
};
const Whole = z.object({ ...ALWAYS, ...BACKGROUND });
type Input = z.infer<typeof Whole>;

export function createBashTool(deps: BashDeps): Tool {
  // A field that is left out is optional in the whole, so that what passes is a whole input too.
  const input = z.object({ ...ALWAYS, ...(deps.background && BACKGROUND) }) as z.ZodMiniType<Input>;
  return defineTool({
    name: 'Bash',
    description:
      'Runs a command with bash. Stdin is empty; variables do not last from call to call. Use Read, Edit, Write, Glob and Grep for files.',
    input,
    ...(!deps.background && {
      absent: { run_in_background: 'commands in the background are not possible here. Leave it out.' },
    }),
    isReadOnly: false,
    access: ({ command }) => ({ kind: 'shell', command, realPathOf: (path) => realPathOf(path), filesLike }),
    call: (input, context) => runCommand(input, context, deps),
  });
}

async function runCommand(input: Input, context: ToolContext, deps: BashDeps): Promise<ToolOutput> {
  const { command, timeout } = input;
  if (context.signal.aborted) return CANCELLED;
  if (Buffer.byteLength(command) > LONGEST_COMMAND)
    throw new ToolError('The command is too long. Write it to a script file and run that.');
  if (command.includes('\0')) throw new ToolError('The command holds a NUL character.');
  const { cwd } = context;
  if (!(await isFolder(cwd))) return movedFrom(cwd, deps);
  const mark = { ...deps.mark, call: context.toolUseId };
  // Before there is a file that somebody would have to close.
  const env = (await isFreeToRun(command, cwd)) ? withoutForeignGit(deps.environment()) : deps.environment();
  const file = join(deps.outputFolder, context.toolUseId.replace(/[^\w-]/g, '_'));
  const output = await createCommandOutput(`${file}.output`);
  const cwdFile = `${file}.cwd`;

  const { clock, background, mostProcesses = MOST_PROCESSES } = deps;
  if (context.signal.aborted) {
    await output.close();
    await output.remove();
    return CANCELLED;
  }
  const stop = new AbortController();
  const call: ShellCall = {
    ...{ command, cwd, env, mark, output, cwdFile, clock },
    contain: containMarked(mark, mostProcesses),
    signal: stop.signal,
  };
  const inBackground = (running: Promise<ShellEnd>, start: NonNullable<typeof background>) =>
    leaveRunning({ input, toolUseId: context.toolUseId, call, stop, running, background: start });
  if (input.run_in_background && background) {
    const id = await inBackground(runShell(call), background);
    return { content: `The command runs in the background. ${backgroundWords(id, output.path)}` };
  }

  const cancel = () => stop.abort();
  context.signal.addEventListener('abort', cancel, { once: true });
  const running = runShell(call);
  const ended = await within(clock, timeout, () => running);
  context.signal.removeEventListener('abort', cancel);
  if (!ended && background && mayGoOn(command)) {
    const id = await inBackground(running, background);
    return {
      content: `The command did not end within ${timeout / 1000} s and was moved to the background, where it goes on. ${backgroundWords(id, output.path)}`,
    };
  }
  stop.abort(); // of no effect where it has ended
  const end = ended ?? (await running);

  const { text, isWhole } = await output.read(MOST_CHARACTERS);
  const left = await closeOutput(end, call, isWhole);
  const moved = await newFolder(cwdFile, context.cwd, deps);
  const over = ended ? endNote(end, mostProcesses) : LATE(timeout);
  const others = left === 0 ? '' : `${left} of its processes still run, printing into ${output.path}.`;
  const notes = [over, others, moved.note].filter((note) => note !== '');
  const body = asPrinted(text, call).trimEnd();
  return {
    content: [...(body === '' && notes.length > 0 ? [] : [body || '(No output)']), ...notes].join('\n'),
    isError: hasFailed(command, end),
    ...(moved.cwd !== undefined && { cwd: moved.cwd }),
  };
}

const CANCELLED: ToolOutput = { content: 'Cancelled before it started.', isError: true };
const LATE = (timeout: number) =>
  `The command did not end within ${timeout / 1000} s and was ended, with all it had started.`;

function backgroundWords(id: string, path: string): string {
  return `Task ${id}; it prints into ${path}. You are told when it has ended; TaskOutput shows how it stands, TaskStop ends it.`;
}

/** What only waits is of no use in the background, and git would go on changing what others work on. */
function mayGoOn(command: string): boolean {
  return !/^\s*sleep\b|\bgit\b/.test(command);
}

interface Unattended {
  readonly input: Input;
  readonly toolUseId: string;
  readonly call: ShellCall;
  /** Ends the command. */
  readonly stop: AbortController;
  readonly running: Promise<ShellEnd>;
  readonly background: Pick<TaskRegistry, 'begin'>;
}

/** Makes a task of a command that nobody waits for; its id. */
async function leaveRunning({ input, toolUseId, call, stop, running, background }: Unattended): Promise<string> {
  const { command, description = oneLine(command) } = input;
  const { output } = call;
  const task = await background
    .begin({ type: 'shell', toolUseId, description, backgrounded: true, outputFile: output.path })
    .catch(async (error: unknown) => {
      stop.abort();
      await running;
      throw error;
    });
  task.signal.addEventListener('abort', () => stop.abort(), { once: true });
  if (task.signal.aborted) stop.abort();
  const finish = async () => {
    const end = await running;
    const { text } = await output.read(MOST_CHARACTERS);
    await rm(call.cwdFile, { force: true });
    await closeOutput(end, call, false);
    const result = asPrinted(text, call).trimEnd() || '(No output)';
    if (end.kind === 'aborted') return task.end({ status: 'killed', result });
    const isBad = hasFailed(command, end);
    const error = endNote(end, MOST_PROCESSES);
    return task.end({ status: isBad ? 'failed' : 'completed', result, ...(isBad && { error }) });
  };
  void finish().catch((error: unknown) => task.end({ status: 'failed', error: messageOf(error) }));
  return task.record().id;
}

/** Closes the file that a command printed into, now or with the last of its processes; how many of them still run. */
async function closeOutput(end: ShellEnd, call: ShellCall, isShownWhole: boolean): Promise<number> {
  const { output, mark } = call;
  const left = end.kind === 'exited' ? (await markedProcesses(mark)).length : 0;
  if (left > 0) void watchChildren(call).catch(() => {});
  else await output.close();
  if (left === 0 && isShownWhole) await output.remove();
  return left;
}

const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** A command was meant, and judged, for the directory that is gone: in another one it might do something else. */
async function movedFrom(cwd: string, { keepsCwd, folders }: BashDeps): Promise<ToolOutput> {
  const gone = `The working directory ${cwd} does not exist any more, so nothing was run.`;
  // A sub-agent's may have been a worktree, and the checkout is no place for what was meant for that.
  for (const folder of keepsCwd ? folders() : []) {
    if (await isFolder(folder)) return { content: `${gone} You are in ${folder} now.`, isError: true, cwd: folder };
  }
  throw new ToolError(gone);
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

function endNote(end: ShellEnd, mostProcesses: number): string {
  switch (end.kind) {
    case 'too-many':
      return `The command had more than ${mostProcesses} processes, as a fork bomb has, and was ended with all of them.`;
    case 'aborted':
      return 'Cancelled: the command was ended before it was done.';
    case 'exited':
      return codeOf(end.exit) === 0
        ? ''
        : `Exit code ${codeOf(end.exit)}${end.exit.signal === null ? '' : ` (${end.exit.signal})`}`;
  }
}

const hasFailed = (command: string, end: ShellEnd) => end.kind !== 'exited' || isFailure(command, codeOf(end.exit));

async function isFreeToRun(command: string, cwd: string): Promise<boolean> {
  const place = { cwd, home: userHome() };
  const script = (await loadShell())(command, place);
  return factsOf('Bash', { access: { kind: 'shell', command }, script }, place, false).isFree;
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
