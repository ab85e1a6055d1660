import { Command, CommanderError } from 'commander';
import { ExitCode, messageOf, UserError } from '../util/errors.js';
import { didYouMean } from '../util/text.js';
import { COMMANDS } from './commands/index.js';
import { askedExitCode } from './exit.js';
import { note, onBrokenPipe, printLine } from './output.js';
import { runFailure } from './runFailure.js';

const AFTER_HELP = `
Exit codes:
  0 done · 1 failed · 2 wrong usage · 3 a limit was reached · 4 teammates unfinished or work lost · 5 refused
  75 model service unavailable, try later · 124 timeout · 130 SIGINT · 143 SIGTERM

Begin with:
  troupe demo                     a whole team on a small repository; no key, no network
  troupe up feature "Add …"       a planner, an implementer and a reviewer, in tmux
  troupe run "Fix …"              the same without a terminal, with one result and one exit code

$TROUPE_HOME (default ~/.troupe) holds all teams; ANTHROPIC_API_KEY opens the model service.`;

/** Runs one command line to its end and sets the process's exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  onBrokenPipe(() => {
    process.exitCode = ExitCode.brokenPipe;
  });
  try {
    const program = await programFor(argv);
    await program.parseAsync(['node', 'troupe', ...argv]);
    process.exitCode = askedExitCode() ?? process.exitCode;
  } catch (error) {
    process.exitCode = report(error, argv);
  }
}

async function programFor(argv: readonly string[]): Promise<Command> {
  const [asked] = argv;
  const program = new Command('troupe');
  program
    .description('Teams of AI coding agents: each in its own process and its own tmux pane.')
    .option('-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
    .showHelpAfterError(false)
    .addHelpText('after', AFTER_HELP);
  for (const [name, entry] of Object.entries(COMMANDS)) {
    if (name === asked) (await entry.load()).register(program);
    else
      program
        .command(`${name} ${entry.arguments}`.trim(), { hidden: entry.hidden ?? false })
        .summary(entry.summary)
        .description(entry.summary);
  }
  if (asked !== undefined && !asked.startsWith('-') && asked !== 'help' && !(asked in COMMANDS)) {
    throw new UserError(
      `There is no command "${asked}".${didYouMean(asked, Object.keys(COMMANDS))} See: troupe --help`,
    );
  }
  for (const command of program.commands) command.exitOverride().configureOutput({ outputError: () => {} });
  return program;
}

function report(error: unknown, argv: readonly string[]): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return ExitCode.ok;
    const message = error.message.replace(/^error: /, '').replace(/\n\(Did you mean (.*?)\?\)/, ' Did you mean "$1"?');
    return fail(
      `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?!]$/.test(message) ? '' : '.'} See: troupe ${argv[0] ?? ''} --help`,
      ExitCode.usage,
      argv,
    );
  }
  if (error instanceof UserError) return fail(error.message, error.exitCode, argv);
  note(error instanceof Error ? (error.stack ?? error.message) : messageOf(error));
  return fail(`That is a fault of troupe itself: ${messageOf(error)}`, ExitCode.failed, argv);
}

/** A run owes its reader one result, whatever went wrong. */
function fail(message: string, exitCode: ExitCode, argv: readonly string[]): ExitCode {
  const result = runFailure(message, argv);
  if (result) printLine(result);
  note(`troupe: ${message}`);
  return exitCode;
}
