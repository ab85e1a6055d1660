import type { Command } from 'commander';
import { takeDown } from '../../app/end/takeDown.js';
import { theWorld } from '../../app/services.js';
import { keptWords } from '../../app/start/worktrees.js';
import { createOutput, note } from '../output.js';
import { oneTeam, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('down [team]')))
    .summary('end a whole team and archive it')
    .description('End everybody, close their panes, remove worktrees that hold nothing, and archive the team.')
    .option('--force', 'do not ask members')
    .option('--purge', 'remove the team instead of archiving it')
    .action(
      async (
        name: string | undefined,
        { team, json, force = false, purge = false }: TeamOptions & { force?: boolean; purge?: boolean },
      ) => {
        const result = await takeDown(theWorld(), oneTeam(name, team), { force, purge, progress: note });
        createOutput({ json }).data(
          result,
          `Team "${result.team}" is down.${result.archive === undefined ? '' : ` Archived in ${result.archive}`}`,
        );
        for (const kept of result.keptWorktrees) note(keptWords(kept));
      },
    );
}
