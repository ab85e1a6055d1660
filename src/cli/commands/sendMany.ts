import type { Command } from 'commander';
import { sendMany } from '../../app/demo/stressInbox.js';
import { theWorld } from '../../app/services.js';
import { printLine } from '../output.js';
import { positiveInteger } from './shared.js';

export function register(program: Command): void {
  program
    .command('send-many', { hidden: true })
    .argument('<to>')
    .argument('<count>', '', positiveInteger)
    .requiredOption('-t, --team <name>')
    .action(async (to: string, count: number, { team }: { team: string }) =>
      sendMany({ home: theWorld().home, team, to, count, print: printLine }),
    );
}
