import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Home } from '../../config/paths.js';
import { systemClock } from '../../host/clock.js';
import { systemIds } from '../../host/ids.js';
import { isAlive } from '../../host/processes.js';
import { openMailbox } from '../../mailbox/mailbox.js';
import { openTaskList } from '../../tasks/taskList.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { UserError } from '../../util/errors.js';
import { foldName, nameProblem } from '../../util/names.js';
import { head } from '../../util/text.js';

/**
 * The name that a new team gets: the given one, or the first free one after the fallback. `replaces` says that a dead
 * team of that name goes to the archive first. @throws UserError when the given name is taken.
 */
export async function freeTeamName(
  home: Home,
  given: string | undefined,
  fallback: string,
  replace: boolean,
): Promise<{ name: string; replaces: boolean }> {
  if (given === undefined) return { name: await firstFree(home, usable(fallback)), replaces: false };
  const paths = home.team(given);
  const team = await openTeamFile(paths.config).read();
  if (!team) return { name: given, replaces: existsSync(paths.root) };
  if (team.leadProcess && (await isAlive(team.leadProcess))) {
    throw new UserError(
      `There is a team "${team.name}" already: its lead runs in process ${team.leadProcess.pid}. Attach with "troupe attach -t ${team.name}", end it with "troupe down ${team.name}", or choose another --name.`,
    );
  }
  const holdings = replace ? [] : await holdingsOf(home, team);
  if (holdings.length > 0) {
    throw new UserError(
      `The team "${team.name}" has no lead any more, but it holds ${holdings.join(', ')}. Go on with it: troupe resume ${team.name}. Or start anew: --replace archives it.`,
    );
  }
  return { name: given, replaces: true };
}

/** What would be lost sight of if a dead team were taken over. */
export async function holdingsOf(home: Home, team: TeamFile): Promise<string[]> {
  const paths = home.team(team.name);
  const holdings: string[] = [];
  let unread = 0;
  for (const { name } of team.members)
    unread += await openMailbox({ team: paths, member: name, clock: systemClock, ids: systemIds }).waiting();
  if (unread > 0) holdings.push(`${unread} unread message${unread === 1 ? '' : 's'}`);
  const open = (await openTaskList(paths.tasks).list()).filter(({ status }) => status !== 'completed').length;
  if (open > 0) holdings.push(`${open} open task${open === 1 ? '' : 's'}`);
  const worktrees = team.members.filter(({ worktreePath }) => worktreePath !== undefined && existsSync(worktreePath));
  if (worktrees.length > 0)
    holdings.push(
      `the worktree${worktrees.length === 1 ? '' : 's'} of ${worktrees.map(({ name }) => name).join(', ')}`,
    );
  return holdings;
}

async function firstFree(home: Home, base: string): Promise<string> {
  const taken = new Set(await readdir(home.teams).catch(() => []));
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(foldName(name))) return name;
  }
}

/** A folder may have a name that a team cannot have. */
function usable(name: string): string {
  const cleaned = name
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-.]+/, '');
  const short = head(cleaned, 40);
  return nameProblem(short) === undefined ? short : 'team';
}
