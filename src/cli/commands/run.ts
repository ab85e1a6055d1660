import { type Command, Option } from 'commander';
import { onInterrupt } from '../../app/interrupt.js';
import { refuseMembers } from '../../app/look/teams.js';
import { theWorld, type World } from '../../app/services.js';
import { planTeam } from '../../app/start/planTeam.js';
import { runTeam } from '../../app/start/run.js';
import { ExitCode, UserError } from '../../util/errors.js';
import { exitWith } from '../exit.js';
import { isStdinPiped, note, onBrokenPipe, printLine } from '../output.js';
import { planLines } from '../planLines.js';
import { backendOption, duration, examples } from './shared.js';
import { type TeamFlags, wishFrom, withTeamFlags } from './teamFlags.js';

interface RunFlags extends TeamFlags {
  readonly backend?: 'auto' | 'tmux' | 'iterm2' | 'in-process';
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  readonly timeout?: number;
  readonly keep?: boolean;
  readonly approvePlans?: boolean;
}

export function register(program: Command): void {
  withTeamFlags(program.command('run [template] [prompt...]'))
    .summary('run a team without a terminal until the work is done')
    .description(
      'Run a team without a terminal, in this process unless told otherwise, until the work is done. Ends with one result and one exit code. A prompt may come on standard input.',
    )
    .addOption(backendOption())
    .addOption(
      new Option('--output-format <format>', 'what stdout is').choices(['text', 'json', 'stream-json']).default('text'),
    )
    .option('--timeout <duration>', 'end it after so long: 30m, 90s', duration)
    .option('--keep', 'do not archive the team afterwards')
    .option('--approve-plans', 'approve the plans that only a person may decide')
    .addHelpText(
      'after',
      examples(
        'troupe run "Mend the failing test" --permission-mode acceptEdits',
        'troupe run review --output-format json --timeout 20m --max-budget-usd 5',
        'troupe run < task.md',
      ),
    )
    .action(async (template: string | undefined, prompt: string[], flags: RunFlags) => {
      refuseMembers('run');
      const {
        backend = 'auto',
        outputFormat,
        timeout,
        keep = false,
        approvePlans = false,
        dryRun = false,
        ...team
      } = flags;
      const world = theWorld();
      const stop = new AbortController();
      onBrokenPipe(() => stop.abort('EPIPE'));
      const restore = onInterrupt((signal) => stop.abort(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM'));
      try {
        const words = await wordsOf(template, prompt, world, stop.signal);
        const wish = await wishFrom(words, team);
        if (dryRun) {
          const plan = await planTeam(world, wish, 'run');
          printLine(
            outputFormat === 'text' ? planLines(plan, backend) : JSON.stringify({ ...plan, environment: undefined }),
          );
          return;
        }
        const { result, exitCode } = await runTeam(world, {
          wish,
          backend,
          timeoutMs: timeout,
          keep,
          approvePlans,
          note,
          line: (line) => {
            if (outputFormat === 'stream-json') printLine(JSON.stringify(line));
          },
          signal: stop.signal,
        });
        if (outputFormat !== 'text') printLine(JSON.stringify(result));
        else if (result.is_error) note(`troupe: ${result.subtype}: ${(result.errors ?? []).join('; ')}`);
        if (outputFormat === 'text') printLine(result.result);
        exitWith(exitCode);
      } finally {
        restore();
      }
    });
}

/** How long a piped input may be silent beside a prompt. */
const PATIENCE_MS = 3000;

/** What is piped in goes behind the words: a file to look at, or the prompt itself. */
async function wordsOf(
  template: string | undefined,
  prompt: readonly string[],
  { clock }: World,
  signal: AbortSignal,
): Promise<string[]> {
  const words = [...(template === undefined ? [] : [template]), ...prompt];
  if (!isStdinPiped()) return words;
  const { readInput } = await import('../../app/start/readInput.js');
  const patienceMs = words.length === 0 ? undefined : PATIENCE_MS;
  try {
    const piped = await readInput(process.stdin, { clock, signal, patienceMs });
    if (piped === undefined) note('Nothing came on standard input; going on without it. "< /dev/null" saves the wait.');
    return piped?.trim() ? [...words, piped.trim()] : words;
  } catch (error) {
    if (!signal.aborted) throw error;
    const [what, exitCode] =
      signal.reason === 'SIGINT'
        ? (['Interrupted (SIGINT).', ExitCode.interrupted] as const)
        : (['Ended (SIGTERM).', ExitCode.terminated] as const);
    throw new UserError(what, exitCode, { cause: error });
  }
}
