import type { Command } from 'commander';
import { runLeadProcess } from '../../app/members/leadProcess.js';
import { theWorld } from '../../app/services.js';

export function register(program: Command): void {
  program
    .command('lead', { hidden: true })
    .requiredOption('--launch <file>', 'the launch file')
    .action(async ({ launch }: { launch: string }) => runLeadProcess(theWorld(), launch));
}
