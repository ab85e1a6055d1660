import type { Command } from 'commander';
import { answerPlan } from '../../app/look/decisions.js';
import { theWorld } from '../../app/services.js';
import { createOutput } from '../output.js';
import { examples, modeOption, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('approve <id>')))
    .summary('approve a plan')
    .description('Approve a plan; the first answer wins. The beginning of the id is enough.')
    .option('--feedback <text>', 'what the member should mind')
    .addOption(modeOption())
    .addHelpText(
      'after',
      examples('troupe approve 84d3', 'troupe approve 84d3 --feedback "Leave the tests as they are"'),
    )
    .action(
      async (
        id: string,
        { team, json, feedback, permissionMode }: TeamOptions & { feedback?: string; permissionMode?: 'default' },
      ) => {
        const request = await answerPlan(theWorld(), team, id, { approve: true, feedback, mode: permissionMode });
        createOutput({ json }).data({ id: request.id, approve: true }, `Approved the plan of ${request.from}.`);
      },
    );
}
