import { type Command, Option } from 'commander';
import { onFault, takeEndSignals } from '../../app/interrupt.js';
import { refuseMembers } from '../../app/look/teams.js';
import { failedRun } from '../../app/run/failedRun.js';
import { type RunOutcome, runTeam } from '../../app/run/run.js';
import { isoNow, theWorld, type World } from '../../app/services.js';
import { planTeam } from '../../app/start/planTeam.js';
import { ExitCode, messageOf, UserError } from '../../util/errors.js';
import { exitWith } from '../exit.js';
import { createOutput, isStdinPiped, note, onBrokenPipe } from '../output.js';
import { planLines } from '../planLines.js';
import { printAnswer, printObject } from '../runOutput.js';
import { runReports } from '../runReports.js';
import { backendOption, examples, positiveDuration, word } from './shared.js';
import { type TeamFlags, wishFrom, withTeamFlags } from './teamFlags.js';

interface RunFlags extends TeamFlags {
  readonly backend?: 'auto' | 'tmux' | 'iterm2' | 'in-process';
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  readonly timeout?: number;
  readonly keep?: boolean;
  readonly approvePlans?: boolean;
  readonly resume?: string;
  readonly junit?: string;
  readonly jsonSchema?: string;
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
    .option('--timeout <duration>', 'end it after so long: 30m, 90s', positiveDuration)
    .option('--keep', 'do not archive the team afterwards')
    .option('--approve-plans', 'approve the plans that only a person may decide')
    .option('--resume <id>', 'go on with a run that was stopped: the session_id of its result', word)
    .option('--junit <file>', 'write a JUnit report: a case for each member and each task', word)
    .option('--json-schema <file>', 'a JSON schema that the answer has to fit: it is in structured_output', word)
    .addHelpText(
      'after',
      examples(
        'troupe run "Mend the failing test" --permission-mode acceptEdits',
        'troupe run review --output-format json --timeout 20m --max-budget-usd 5',
        'troupe run < task.md',
        'troupe run --resume 0192f0c1-… --max-budget-usd 10',
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
        junit,
        jsonSchema,
        resume,
        ...team
      } = flags;
      const world = theWorld();
      const reports = runReports(dryRun ? undefined : junit, isoNow(world));
      await reports.begin();
      const { stop, hurry, restore: giveBackSignals } = takeEndSignals(world.clock);
      onBrokenPipe(() => stop.abort('EPIPE'));
      const restore = [
        giveBackSignals,
        onFault((error) => {
          note(error.stack ?? error.message);
          stop.abort(error);
        }),
      ];
      try {
        const words = await wordsOf(template, prompt, world, stop.signal);
        const wish = await wishFrom(words, team);
        if (dryRun) {
          const plan = await planTeam(world, wish, 'run');
          const output = createOutput({ json: outputFormat !== 'text' });
          output.item({ ...plan, environment: undefined }, planLines(plan, backend));
          return;
        }
        const outcome = await runTeam(world, {
          wish,
          backend,
          timeoutMs: timeout,
          keep,
          approvePlans,
          jsonSchema,
          resume,
          note,
          line: (line) => {
            if (outputFormat === 'stream-json') printObject(line);
          },
          signal: stop.signal,
          hurry,
        });
        await reports.end(outcome.result);
        tell(outcome, outputFormat, () => world.ids.uuid());
      } catch (error) {
        if (!dryRun) await reports.end(failedRun(messageOf(error), exitCodeOf(error)));
        throw error;
      } finally {
        for (const undo of restore) undo();
      }
    });
}

function tell({ result, exitCode }: RunOutcome, outputFormat: RunFlags['outputFormat'], newToken: () => string): void {
  exitWith(exitCode);
  if (outputFormat !== 'text') {
    printObject(result);
    return;
  }
  if (result.is_error) note(`troupe: ${result.subtype}: ${(result.errors ?? []).join('; ')}`);
  if (result.structured_output === undefined) printAnswer(result.result, newToken);
  else printObject(result.structured_output);
}

function exitCodeOf(error: unknown): ExitCode {
  return error instanceof UserError ? error.exitCode : ExitCode.failed;
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
  const { readInput } = await import('../../app/run/readInput.js');
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
