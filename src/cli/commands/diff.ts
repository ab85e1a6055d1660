import type { Command } from 'commander';
import { diffOf, type MemberDiff } from '../../app/look/diff.js';
import { theWorld } from '../../app/services.js';
import { noteArchive } from '../archiveNote.js';
import { createOutput, isColored, note, printPainted } from '../output.js';
import { paintDiff } from '../paintDiff.js';
import { examples, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('diff [member]')))
    .summary("show what members' worktrees have changed")
    .description(
      "Show what a member's worktree, or each of the team, has changed since it began: what is committed, then what is not, new files included. Teams in the archive count too, by their name or their full one (name and time).",
    )
    .option('--stat', 'a line for each file')
    .option('--name-only', 'the names of the files alone')
    .addHelpText(
      'after',
      examples('troupe diff implementer', 'troupe diff --stat', 'troupe diff implementer > work.patch'),
    )
    .action(
      async (
        member: string | undefined,
        { team, json, stat, nameOnly }: TeamOptions & { stat?: boolean; nameOnly?: boolean },
      ) => {
        const world = theWorld();
        const form = nameOnly ? 'names' : stat ? 'stat' : 'patch';
        await noteArchive(team);
        const { diffs, problems } = await diffOf(world, team, { member, form });
        for (const problem of problems) note(problem);
        if (json) createOutput({ json }).data(diffs, '');
        else if (nameOnly) printNames(diffs, member === undefined);
        else printPainted(diffs.map(patchText).join('\n'), isColored(world.environment()) ? paintDiff : (text) => text);
      },
    );
}

function printNames(diffs: readonly MemberDiff[], ofAll: boolean): void {
  const lines = diffs.flatMap(({ member, committed, uncommitted }) => [
    ...(ofAll ? [`# ${member}`] : []),
    ...new Set([...committed, ...uncommitted].map(({ path }) => path).sort()),
  ]);
  createOutput({}).data(diffs, lines.join('\n'));
  for (const { member, uncommitted } of diffs)
    if (uncommitted.length > 0) note(`${member} has not committed: ${uncommitted.map(words).join(', ')}`);
}

const words = ({ path, how }: MemberDiff['uncommitted'][number]) => `${path} (${how})`;

/** Lines with `#` are for people: programs that apply a patch skip what is between its parts. */
function patchText({ member, branch, base, commits, uncommitted, isThere, patch }: MemberDiff): string {
  const count = commits.length === 1 ? '1 commit' : `${commits.length} commits`;
  const gone = isThere ? '' : '; its folder is gone';
  const parts = [`# ${member}: ${count} since ${base.slice(0, 10)} on ${branch}${gone}`, patch?.committed];
  if (uncommitted.length > 0)
    parts.push(`# ${member}: not committed: ${uncommitted.map(words).join(', ')}`, patch?.uncommitted);
  return parts.filter((part) => part !== undefined && part !== '').join('\n');
}
