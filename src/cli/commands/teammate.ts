import type { Command } from 'commander';
import { runTeammateProcess } from '../../app/members/teammateProcess.js';
import { theWorld } from '../../app/services.js';
import { exitWith } from '../exit.js';

export function register(program: Command): void {
  program
    .command('teammate', { hidden: true })
    .requiredOption('--launch <file>', 'the launch file')
    .action(({ launch }: { launch: string }) => runLaunched(launch));
}

/** Runs the teammate of a launch file to its end. */
export async function runLaunched(launchFile: string): Promise<void> {
  const code = await runTeammateProcess(theWorld(), launchFile);
  exitWith(code === 143 || code === 130 ? code : 0);
}
