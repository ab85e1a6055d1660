import type { Command } from 'commander';
import { answerPermission } from '../../app/look/decisions.js';
import { theWorld } from '../../app/services.js';
import { createOutput } from '../output.js';
import { examples, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('allow <id>')))
    .summary('allow what was asked for')
    .description('Allow what a member asked for; the first answer wins. The beginning of the id is enough.')
    .option('--always', 'write a rule for the whole team')
    .addHelpText('after', examples('troupe allow 5c0e', 'troupe allow 5c0e --always'))
    .action(async (id: string, { team, json, always = false }: TeamOptions & { always?: boolean }) => {
      const request = await answerPermission(theWorld(), team, id, { allow: true, always });
      createOutput({ json }).data(
        { id: request.id, allow: true, always },
        `Allowed ${request.from}: ${request.description}`,
      );
    });
}
