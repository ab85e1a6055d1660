import type { Command } from 'commander';
import { answerPermission } from '../../app/look/decisions.js';
import { theWorld } from '../../app/services.js';
import { createOutput } from '../output.js';
import { examples, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('deny <id> [reason...]')))
    .summary('deny what was asked for')
    .description('Deny what a member asked for; its model reads the reason.')
    .addHelpText('after', examples('troupe deny 5c0e "Use the test database instead"'))
    .action(async (id: string, reason: string[], { team, json }: TeamOptions) => {
      const request = await answerPermission(theWorld(), team, id, {
        allow: false,
        message: reason.join(' ') || undefined,
      });
      createOutput({ json }).data({ id: request.id, allow: false }, `Denied ${request.from}: ${request.description}`);
    });
}
