import type { Command } from 'commander';
import { theWorld } from '../../app/services.js';
import { runTeammateProcess } from '../../app/teammateProcess.js';
import { exitWith } from '../exit.js';

export function register(program: Command): void {
  program
    .command('teammate', { hidden: true })
    .requiredOption('--launch <file>', 'the launch file')
    .action(async ({ launch }: { launch: string }) => {
      const code = await runTeammateProcess(theWorld(), launch);
      exitWith(code === 143 || code === 130 ? code : 0);
    });
}
