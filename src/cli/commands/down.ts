import type { Command } from 'commander';
import { takeDown } from '../../app/end/takeDown.js';
import { theWorld } from '../../app/services.js';
import { createOutput, note } from '../output.js';
import { type TeamOptions, withJson, withTeam } from './shared.js';

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
        const result = await takeDown(theWorld(), name ?? team, { force, purge, progress: note });
        createOutput({ json }).data(
          result,
          `Team "${result.team}" is down.${result.archive === undefined ? '' : ` Archived in ${result.archive}`}`,
        );
        for (const { member, path, branch, why } of result.keptWorktrees)
          note(`The worktree of ${member} was kept (${why.join('; ')}): ${path}, branch ${branch}`);
      },
    );
}
