import type { Command } from 'commander';
import { pruneTeamWorktrees, type TeamWorktree, teamWorktrees } from '../../app/look/worktrees.js';
import { theWorld } from '../../app/services.js';
import { createOutput, table } from '../output.js';
import { examples, withJson } from './shared.js';

export function register(program: Command): void {
  const worktrees = program
    .command('worktrees')
    .summary('list the worktrees of teams and what each holds')
    .description(
      'List the git worktrees of teams in the repositories that they work in, and in the one of this folder: whose each is, and what it holds that no other branch has.',
    )
    .addHelpText('after', examples('troupe worktrees', 'troupe worktrees prune --dry-run'));
  const sub = (usage: string, summary: string) =>
    withJson(worktrees.command(usage, { isDefault: usage === 'ls' }))
      .description(summary)
      .exitOverride()
      .configureOutput({ outputError: () => {} });

  sub('ls', 'all of them, a line each').action(async ({ json }: { json?: boolean }) => {
    const all = await teamWorktrees(theWorld());
    const rows = all.map((worktree) => [ownerOf(worktree), contentsOf(worktree), worktree.branch, worktree.path]);
    createOutput({ json }).data(all, rows.length === 0 ? 'No worktrees.' : await table(rows));
  });
  sub('prune', 'remove those that hold nothing and that nobody comes back to')
    .option('--dry-run', 'only say what would go')
    .action(async ({ json, dryRun = false }: { json?: boolean; dryRun?: boolean }) => {
      const all = await pruneTeamWorktrees(theWorld(), { dryRun });
      const rows = all.map(({ removed, path, keptFor }) => [
        removed ? (dryRun ? 'would go' : 'removed') : 'kept',
        path,
        keptFor ?? '',
      ]);
      createOutput({ json }).data(all, rows.length === 0 ? 'No worktrees.' : await table(rows));
    });
}

function ownerOf({ team, member, archived }: TeamWorktree): string {
  if (team === undefined) return '(of no team)';
  return `${member}@${team}${archived ? ' (archived)' : ''}`;
}

function contentsOf({ live, holds }: TeamWorktree): string {
  return [...(live ? ['in use'] : []), ...(holds.length > 0 ? holds : ['holds nothing'])].join(', ');
}
