import type { Command } from 'commander';
import { allTeams } from '../../app/look/teams.js';
import { theWorld } from '../../app/services.js';
import { createOutput, note, table } from '../output.js';
import { withJson } from './shared.js';

export function register(program: Command): void {
  withJson(program.command('ls'))
    .summary('list the teams')
    .description('List all teams that are not archived.')
    .action(async ({ json }: { json?: boolean }) => {
      const { teams, broken } = await allTeams(theWorld());
      const rows = teams.map(({ name, state, members, template = '' }) => [
        name,
        state,
        members.length === 1 ? '1 member' : `${members.length} members`,
        template,
      ]);
      createOutput({ json }).data(teams, rows.length === 0 ? 'No teams. Start one with: troupe up' : await table(rows));
      for (const { path, reason } of broken)
        note(`${reason.startsWith(path) ? reason : `${path}: ${reason}`} See: troupe doctor`);
    });
}
