import type { Command } from 'commander';
import { type MergeResult, mergeMember } from '../../app/merge/merge.js';
import { theWorld } from '../../app/services.js';
import { ExitCode } from '../../util/errors.js';
import { noteArchive } from '../archiveNote.js';
import { exitWith } from '../exit.js';
import { createOutput, note } from '../output.js';
import { examples, type TeamOptions, withJson, withTeam, word } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('merge <member>')))
    .summary("merge a member's work into the current branch")
    .description(
      "Merge what a member has committed in its worktree into the branch that is checked out here, as a merge commit. The repository's hooks run. A checkout with changes is left alone, and one in which a merge fails is as it was. Teams in the archive count too, by their name or their full one (name and time).",
    )
    .option('--squash', 'as one commit')
    .option(
      '--dry-run',
      "only say what would come of it: conflicts, and files that other members' worktrees change too",
    )
    .option('-m, --message <text>', 'the message of the commit', word)
    .option('--force', 'also in the middle of a turn, without what is not committed, or with commits of others')
    .addHelpText('after', examples('troupe merge implementer --dry-run', 'troupe merge implementer --squash'))
    .action(
      async (
        member: string,
        {
          team,
          json,
          squash = false,
          dryRun = false,
          force = false,
          message,
        }: TeamOptions & { squash?: boolean; dryRun?: boolean; force?: boolean; message?: string },
      ) => {
        await noteArchive(team);
        const result = await mergeMember(theWorld(), team, member, { squash, dryRun, force, message, onWait: note });
        createOutput({ json }).data(result, dryRun ? forecast(result) : outcome(result));
        if (!dryRun && result.merged) for (const line of warnings(result)) note(line);
        if (result.said !== '') note(result.said);
        if (dryRun && result.obstacles.length > 0) exitWith(ExitCode.failed);
      },
    );
}

const countOf = ({ commits }: MergeResult) => (commits.length === 1 ? '1 commit' : `${commits.length} commits`);

function outcome(result: MergeResult): string {
  const { member, into, merged, commit = '' } = result;
  if (!merged) return `Nothing to merge: ${into} has all that ${member} has committed.`;
  return `Merged ${countOf(result)} of ${member} into ${into}: ${commit.slice(0, 10)}`;
}

function warnings({ overlaps, uncommitted, member }: MergeResult): string[] {
  return [
    ...overlaps.map(overlapWords),
    ...(uncommitted.length > 0
      ? [`Not merged, for ${member} has not committed it: ${uncommitted.map(({ path }) => path).join(', ')}`]
      : []),
  ];
}

function overlapWords({ member, files, unknown }: MergeResult['overlaps'][number]): string {
  return unknown === undefined
    ? `Changed by ${member} too, and to be merged with care: ${files.join(', ')}`
    : `Whether ${member} changes the same files is not known: ${unknown}`;
}

function forecast(result: MergeResult): string {
  const { member, into, files, conflicts, overlaps, obstacles, upToDate } = result;
  const how = { added: 'A', modified: 'M', deleted: 'D', retyped: 'T', unmerged: 'U', untracked: '?' } as const;
  if (upToDate && obstacles.length === 0) return outcome(result);
  return [
    `${countOf(result)} of ${member} would go into ${into}:`,
    ...files.map((file) => `  ${how[file.how]} ${file.path}`),
    conflicts === null
      ? 'Conflicts are not known beforehand: git 2.38 or later can tell. A merge that meets any is undone.'
      : conflicts.length === 0
        ? 'No conflicts.'
        : `Conflicts: ${conflicts.join(', ')}`,
    ...overlaps.map(overlapWords),
    ...obstacles,
  ].join('\n');
}
