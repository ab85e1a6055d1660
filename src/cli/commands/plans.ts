import type { Command } from 'commander';
import { openDecisions } from '../../app/look/decisions.js';
import { theWorld } from '../../app/services.js';
import { createOutput } from '../output.js';
import { type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('plans')))
    .summary('list the plans that wait for approval')
    .description(
      'List the plans that wait for approval, oldest first. Answer with: troupe approve ID, or: troupe reject ID --feedback TEXT',
    )
    .action(async ({ team, json }: TeamOptions) => {
      const plans = await openDecisions(theWorld(), team, 'plan');
      const text = plans
        .map(({ id, from, plan = '' }) => `${id} from ${from}\n${plan.replace(/^/gm, '    ')}`)
        .join('\n\n');
      createOutput({ json }).data(plans, text || 'No plan waits.');
    });
}
