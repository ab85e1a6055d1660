import { setMaxListeners } from 'node:events';
import { ExitCode, hasCode, messageOf, UserError } from '../util/errors.js';
import { askedExitCode } from './exit.js';
import { note, onBrokenPipe, printLine } from './output.js';

/** Runs one command line to its end and sets the process's exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // As many calls and agents as there are listen for one abort: that is no leak, and nothing to warn a user of.
  setMaxListeners(0);
  let isBroken = false;
  // The news of it may come before the command has ended, or after.
  onBrokenPipe(() => {
    isBroken = true;
    process.exitCode = ExitCode.brokenPipe;
  });
  const exitCode = await obey(argv);
  if (!isBroken && exitCode !== undefined) process.exitCode = exitCode;
}

async function obey(argv: readonly string[]): Promise<ExitCode | undefined> {
  try {
    const [asked, flag, file] = argv;
    // Panes start many of them, always so: they do without the library for command lines.
    if (asked === 'teammate' && flag === '--launch' && file !== undefined && argv.length === 3)
      await (await import('./commands/teammate.js')).runLaunched(file);
    else await (await import('./program.js')).obeyCommandLine(argv);
    return askedExitCode();
  } catch (error) {
    return report(error, argv);
  }
}

/** What the machine refuses to whoever asks: no fault of ours, and nothing that a stack would help with. */
const CIRCUMSTANCES = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EMFILE', 'ENFILE'];

function report(error: unknown, argv: readonly string[]): Promise<ExitCode> {
  if (error instanceof UserError) return fail(error.message, error.exitCode, argv);
  if (hasCode(error, ...CIRCUMSTANCES))
    return fail(`${messageOf(error)}. "troupe doctor" looks at what it needs.`, ExitCode.failed, argv);
  note(error instanceof Error ? (error.stack ?? error.message) : messageOf(error));
  return fail(`That is a fault of troupe itself: ${messageOf(error)}`, ExitCode.failed, argv);
}

/** A run owes its reader one result, whatever went wrong. */
async function fail(message: string, exitCode: ExitCode, argv: readonly string[]): Promise<ExitCode> {
  const isRun = argv[0] === 'run';
  const result = isRun ? (await import('./runFailure.js')).runFailure(message, exitCode, argv) : undefined;
  try {
    if (result) printLine(result);
  } catch (error) {
    // A stdout that takes nothing may be what it failed of.
    note(messageOf(error));
  }
  note(`troupe: ${message}`);
  return exitCode;
}
