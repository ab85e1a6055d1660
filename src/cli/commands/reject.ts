import type { Command } from 'commander';
import { answerPlan } from '../../app/look/decisions.js';
import { theWorld } from '../../app/services.js';
import { createOutput } from '../output.js';
import { examples, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('reject <id>')))
    .summary('reject a plan, with feedback')
    .description('Reject a plan: its member revises it and hands it in again.')
    .requiredOption('--feedback <text>', 'what should be different')
    .addHelpText('after', examples('troupe reject 84d3 --feedback "Smaller: one file is enough"'))
    .action(async (id: string, { team, json, feedback }: TeamOptions & { feedback: string }) => {
      const request = await answerPlan(theWorld(), team, id, { approve: false, feedback });
      createOutput({ json }).data({ id: request.id, approve: false }, `Rejected the plan of ${request.from}.`);
    });
}
