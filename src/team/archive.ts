import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Home, type TeamPaths, teamPathsAt } from '../config/paths.js';
import { type Clock, isoTime } from '../host/clock.js';
import { syncFolder } from '../store/atomicFile.js';
import { readJson } from '../store/jsonFile.js';
import { makeFolder } from '../store/spool.js';
import { hasCode, messageOf, UserError } from '../util/errors.js';
import { fileNameOf } from '../util/names.js';
import { TeamFile } from './teamFile.js';

/** Makes a team's folders, private to their user, inside an existing home. Nothing else makes them. */
export async function makeTeamFolders(paths: TeamPaths): Promise<void> {
  for (const path of foldersOf(paths)) await makeFolder(path);
}

/** Undoes `makeTeamFolders` for a team that got no file. What holds anything stays. */
export async function unmakeTeamFolders(paths: TeamPaths): Promise<void> {
  for (const path of foldersOf(paths).toReversed()) await rmdir(path).catch(() => {});
}

function foldersOf({ root, inboxes, requests, plans, tasks, run, launch, files }: TeamPaths): string[] {
  return [root, inboxes, requests, plans, tasks, run, launch, files];
}

/** Moves a team to `archive/<team>-<utc>` and returns that path. @throws UserError where there is no such team. */
export async function archiveTeam(home: Home, team: string, clock: Clock): Promise<string> {
  await makeFolder(home.archive);
  const utc = isoTime(clock)
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  const target = await reserve(join(home.archive, `${fileNameOf(team)}-${utc}`));
  try {
    await rename(home.team(team).root, target);
  } catch (error) {
    await rmdir(target);
    if (hasCode(error, 'ENOENT'))
      throw new UserError(`There is no team "${team}". See troupe ls.`, 2, { cause: error });
    throw error;
  }
  await dropLocks(target);
  await dropLaunches(teamPathsAt(target));
  await syncFolder(home.archive);
  await syncFolder(home.teams);
  return target;
}

/** A lock that somebody held when the team was moved was moved too, out of its holder's reach. */
async function dropLocks(root: string): Promise<void> {
  for (const path of await readdir(root, { recursive: true })) {
    if (path.endsWith('.lock')) await rm(join(root, path), { recursive: true, force: true });
  }
}

/** One that no process came to read still holds its secrets. */
async function dropLaunches({ launch }: TeamPaths): Promise<void> {
  await rm(launch, { recursive: true, force: true });
  await makeFolder(launch);
}

/** An empty folder of our own at `path`, or with a number behind it: a rename replaces it, nobody else's archive. */
async function reserve(path: string): Promise<string> {
  for (let copy = 1; ; copy++) {
    const candidate = copy === 1 ? path : `${path}-${copy}`;
    try {
      await mkdir(candidate, { mode: 0o700 });
      return candidate;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

/** A team that was taken down, and where it lies. */
export interface ArchivedTeam {
  readonly path: string;
  readonly team: TeamFile;
  /** Milliseconds since the epoch. */
  readonly archivedAt: number;
}

/** The archive, newest first. What cannot be read is left out. */
export async function listArchive(home: Home): Promise<ArchivedTeam[]> {
  const found: ArchivedTeam[] = [];
  for (const folder of await foldersIn(home.archive)) {
    const path = join(home.archive, folder);
    const team = await readJson(teamPathsAt(path).config, TeamFile).catch(() => undefined);
    const archivedAt = archivedAtOf(folder);
    if (team && archivedAt !== undefined) found.push({ path, team, archivedAt });
  }
  return found.sort((a, b) => b.archivedAt - a.archivedAt || b.path.localeCompare(a.path));
}

/** When a folder of the archive was put there, by its name; in milliseconds since the epoch. */
export function archivedAtOf(folder: string): number | undefined {
  const [, day, hour, minute, second] = /-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z(?:-\d+)?$/.exec(folder) ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T${hour}:${minute}:${second}Z`);
}

/** Brings an archived team back. @throws UserError where there is a team of its name by now. */
export async function unarchiveTeam(home: Home, { path, team }: ArchivedTeam): Promise<void> {
  await makeFolder(home.teams);
  try {
    await rename(path, home.team(team.name).root);
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    throw new UserError(
      `There is a team "${team.name}" by now, so the archived one cannot come back. Take that one down first: troupe down ${team.name}`,
      2,
      { cause: error },
    );
  }
  await syncFolder(home.archive);
  await syncFolder(home.teams);
}

export interface TeamListing {
  /** By name. */
  readonly teams: readonly TeamFile[];
  /** Teams whose file cannot be read, with what is wrong in it. */
  readonly broken: readonly { readonly path: string; readonly reason: string }[];
}

/** The teams of a home that are not archived. */
export async function listTeams(home: Home): Promise<TeamListing> {
  const teams: TeamFile[] = [];
  const broken: { path: string; reason: string }[] = [];
  for (const folder of await foldersIn(home.teams)) {
    const { config } = teamPathsAt(join(home.teams, folder));
    try {
      const team = await readJson(config, TeamFile);
      if (team) teams.push(team);
    } catch (error) {
      broken.push({ path: config, reason: messageOf(error) });
    }
  }
  return { teams, broken };
}

async function foldersIn(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
