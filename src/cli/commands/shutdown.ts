import { type Command, Option } from 'commander';
import { shutdownMembers } from '../../app/end/shutdown.js';
import { theWorld } from '../../app/services.js';
import { ExitCode } from '../../util/errors.js';
import { exitWith } from '../exit.js';
import { createOutput } from '../output.js';
import { duration, examples, type TeamOptions, withJson, withTeam } from './shared.js';

interface ShutdownOptions extends TeamOptions {
  readonly grace: number;
  readonly force?: boolean;
  readonly all?: boolean;
}

export function register(program: Command): void {
  withJson(withTeam(program.command('shutdown [member...]')))
    .summary('ask members to end, then end them')
    .description('Ask members to end, wait, then end them. One that says no in time stays, and the exit code is 1.')
    .addOption(new Option('--grace <duration>', 'how long they have').argParser(duration).default(20_000, '20s'))
    .option('--force', 'do not ask')
    .option('--all', 'every teammate (the lead stays)')
    .addHelpText('after', examples('troupe shutdown reviewer', 'troupe shutdown --all --grace 60s'))
    .action(async (members: string[], { team, json, grace, force = false, all = false }: ShutdownOptions) => {
      const outcomes = await shutdownMembers(theWorld(), { team, members, all, force, graceMs: grace });
      const words = { ended: 'has ended', forced: 'was ended', gone: 'was not running', rejected: 'stays' };
      createOutput({ json }).data(
        outcomes,
        outcomes
          .map(
            (outcome) =>
              `${outcome.name} ${words[outcome.how]}${outcome.how === 'rejected' ? `: ${outcome.reason}` : ''}`,
          )
          .join('\n'),
      );
      if (outcomes.some(({ how }) => how === 'rejected')) exitWith(ExitCode.failed);
    });
}
