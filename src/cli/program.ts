import { Command, CommanderError } from 'commander';
import { UserError } from '../util/errors.js';
import { didYouMean } from '../util/text.js';
import { COMMANDS, type CommandName } from './commands/index.js';

const AFTER_HELP = `
Exit codes:
  0 done · 1 failed · 2 wrong usage · 3 a limit was reached · 4 teammates unfinished or work lost · 5 refused
  75 model service unavailable, try later · 124 timeout · 130 SIGINT · 143 SIGTERM

Begin with:
  troupe demo                     a whole team on a small repository; no key, no network
  troupe up feature "Add …"       a planner, an implementer and a reviewer, in tmux
  troupe run "Fix …"              the same without a terminal, with one result and one exit code

$TROUPE_HOME (default ~/.troupe) holds all teams; ANTHROPIC_API_KEY opens the model service.`;

/** Parses a command line and runs its command. @throws UserError for what is wrong with the line. */
export async function obeyCommandLine(argv: readonly string[]): Promise<void> {
  const program = await programFor(argv);
  try {
    await program.parseAsync(['node', 'troupe', ...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help that was asked for ends the parsing in the same way.
    if (error.exitCode !== 0) throw new UserError(wordsOf(error, helpFor(program, argv)));
  }
}

async function programFor(argv: readonly string[]): Promise<Command> {
  const [asked, second] = argv;
  const program = new Command('troupe');
  program
    .description('Teams of AI coding agents: each in its own process and its own tmux pane.')
    .option('-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
    .showHelpAfterError(false)
    .addHelpText('after', AFTER_HELP);
  const wanted = asked === 'help' ? second : asked;
  if (wanted !== undefined && !wanted.startsWith('-') && wanted !== 'help' && !isCommand(wanted))
    throw new UserError(
      `There is no command "${wanted}".${didYouMean(wanted, Object.keys(COMMANDS))} See: troupe --help`,
    );
  // The others are known by name alone, and only to who lists them: making them takes as long as a short command does.
  const listsAll = !isCommand(wanted) || wanted === 'completion';
  for (const [name, entry] of Object.entries(COMMANDS)) {
    if (name === wanted) (await entry.load()).register(program);
    else if (listsAll)
      program
        .command(`${name} ${entry.arguments}`.trim(), { hidden: entry.hidden ?? false })
        .summary(entry.summary)
        .description(entry.summary);
  }
  for (const command of program.commands) command.exitOverride().configureOutput({ outputError: () => {} });
  if (second !== undefined)
    checkSubcommand(
      program.commands.find((command) => command.name() === asked),
      second,
    );
  return program;
}

/** A group's default command would take the slip of a name for an argument of its own. */
function checkSubcommand(group: Command | undefined, word: string): void {
  const names = group?.commands.map((command) => command.name()) ?? [];
  if (names.length === 0 || word.startsWith('-') || [...names, 'help'].includes(word)) return;
  throw new UserError(
    `There is no command "${group?.name()} ${word}".${didYouMean(word, names)} There are: ${names.join(', ')}`,
  );
}

function wordsOf({ message }: CommanderError, help: string): string {
  const words = message.replace(/^error: /, '').replace(/\n\(Did you mean (.*?)\?\)/, ' Did you mean "$1"?');
  const end = /[.?!]$/.test(words) ? '' : '.';
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${end} See: ${help}`;
}

function helpFor({ commands }: Command, [word, second]: readonly string[]): string {
  if (!isCommand(word)) return 'troupe --help';
  const group = commands.find((command) => command.name() === word);
  const inside = group?.commands.some((command) => command.name() === second) ? ` ${second}` : '';
  return `troupe ${word}${inside} --help`;
}

function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(COMMANDS, word);
}
