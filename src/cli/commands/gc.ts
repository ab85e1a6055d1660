import type { Command } from 'commander';
import { collectGarbage } from '../../app/end/gc.js';
import { refuseMembers } from '../../app/look/teams.js';
import { theWorld } from '../../app/services.js';
import { createOutput, table } from '../output.js';
import { examples, withJson } from './shared.js';

export function register(program: Command): void {
  withJson(program.command('gc'))
    .summary('clear away what teams have left behind')
    .description(
      'Clear away what teams have left behind: children of dead members, teams without a lead that hold nothing (they go to the archive), archives and sessions older than the setting cleanupPeriodDays (30), worktrees that hold nothing and that nobody comes back to, stale locks and sockets. Says what it did, and what it kept and why.',
    )
    .option('--dry-run', 'only say what would be done')
    .addHelpText('after', examples('troupe gc --dry-run', 'troupe gc --json'))
    .action(async ({ json, dryRun = false }: { json?: boolean; dryRun?: boolean }) => {
      refuseMembers('gc');
      const cleared = await collectGarbage(theWorld(), { dryRun });
      const rows = cleared.map(({ what, name, done, why }) => [
        done === 'kept' || !dryRun ? done : `would be ${done}`,
        what,
        name,
        why,
      ]);
      createOutput({ json }).data(cleared, rows.length === 0 ? 'Nothing to clear away.' : await table(rows));
    });
}
