import { type Command, Option } from 'commander';
import { WAITED_FOR, type Waited, type WaitedFor, waitFor } from '../../app/look/wait.js';
import { theWorld } from '../../app/services.js';
import { ExitCode } from '../../util/errors.js';
import { exitWith } from '../exit.js';
import { createOutput, note } from '../output.js';
import { duration, examples, type TeamOptions, withJson, withTeam } from './shared.js';

interface WaitFlags extends TeamOptions {
  readonly for: WaitedFor;
  readonly any?: boolean;
  readonly timeout?: number;
}

export function register(program: Command): void {
  withJson(withTeam(program.command('wait [member...]')))
    .summary('wait until members are idle, done, dead or blocked')
    .description(
      'Wait until members (without names: all teammates that live) are idle; done: idle without an open task of their own; dead; or blocked: waiting for a plan or a permission. Exits 0 when they are, 4 when one has died instead, 124 when the time is over.',
    )
    .addOption(new Option('--for <state>', 'what to wait for').choices(WAITED_FOR).default('idle'))
    .option('--any', 'one of them is enough')
    .option('--timeout <duration>', 'give up after so long: 10m, 90s', duration)
    .addHelpText(
      'after',
      examples(
        'troupe wait --for done --timeout 30m',
        'troupe wait planner --for blocked && troupe plans',
        'troupe wait security performance --any',
      ),
    )
    .action(async (members: string[], { team, json, any = false, timeout, for: wanted }: WaitFlags) => {
      const outcome = await waitFor(theWorld(), { team, members, for: wanted, any, timeoutMs: timeout });
      createOutput({ json }).data(outcome.members, outcome.members.map(line).join('\n'));
      if (outcome.exitCode === ExitCode.timeout) note(`Not ${wanted} in time.`);
      exitWith(outcome.exitCode);
    });
}

function line({ name, state, waitingFor }: Waited): string {
  return `${name}: ${waitingFor === undefined ? state : `waits for ${waitingFor}`}`;
}
