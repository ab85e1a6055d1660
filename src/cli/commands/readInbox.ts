import type { Command } from 'commander';
import { readInboxInto } from '../../app/demo/stressInbox.js';
import { theWorld } from '../../app/services.js';
import { untilInterrupted } from '../interrupt.js';

export function register(program: Command): void {
  program
    .command('read-inbox <member>', { hidden: true })
    .requiredOption('-t, --team <name>')
    .requiredOption('--out <file>')
    .action(async (member: string, { team, out }: { team: string; out: string }) =>
      untilInterrupted((signal) => readInboxInto(out, { home: theWorld().home, team, member, signal })),
    );
}
