import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { currentFolder, userHome } from '../../config/env.js';
import { managedFolder } from '../../config/paths.js';
import { loadSettings } from '../../config/settings.js';
import { endMarkedWithAny, type Mark, markedWithAny } from '../../host/children.js';
import { isAlive } from '../../host/processes.js';
import { ownServers } from '../../panes/tmux/ownServers.js';
import { archiveTeam, listArchive, listTeams } from '../../team/archive.js';
import { livingRecord } from '../../team/shutdown.js';
import { takeOver } from '../../team/start/takeOver.js';
import type { TeamFile } from '../../team/teamFile.js';
import { messageOf } from '../../util/errors.js';
import { isSameName } from '../../util/names.js';
import { staleLocks } from '../look/staleLocks.js';
import { pruneTeamWorktrees } from '../look/worktrees.js';
import { placeOf, type World } from '../services.js';
import { backendOn, recordedBackend } from '../start/backends.js';
import { holdingsOf } from '../start/teamName.js';
import { closeDeadServers, teamsWithDeadServers } from './deadServers.js';
import { marksOfDead } from './orphans.js';

export interface Cleared {
  readonly what: 'process' | 'team' | 'server' | 'archive' | 'session' | 'worktree' | 'lock' | 'socket' | 'traffic';
  /** Its name or path. */
  readonly name: string;
  readonly done: 'removed' | 'archived' | 'ended' | 'kept';
  readonly why: string;
}

export interface GcOptions {
  /** Only say what would be done. */
  readonly dryRun: boolean;
}

interface Gc {
  readonly world: World;
  readonly dryRun: boolean;
  /** What is older may go. Milliseconds since the epoch. */
  readonly before: number;
}

const CLEANUP_DAYS = 30;
const DAY_MS = 86_400_000;

/** Clears away what teams have left behind and what holds nothing. Says of everything that it looked at what it did. */
export async function collectGarbage(world: World, { dryRun }: GcOptions): Promise<Cleared[]> {
  const { settings } = await loadSettings({
    cwd: currentFolder(),
    userHome: userHome(),
    home: world.home,
    trusted: false,
    managed: managedFolder(),
  });
  const before = world.clock.now() - (settings.cleanupPeriodDays ?? CLEANUP_DAYS) * DAY_MS;
  const gc: Gc = { world, dryRun, before };
  return [
    ...(await orphans(gc)),
    ...(await deadTeams(gc)),
    ...(await deadServers(gc)),
    ...(await strayServers(gc)),
    ...(await oldArchives(gc)),
    ...(await oldSessions(gc)),
    ...(await worktrees(gc)),
    ...(await leftovers(gc)),
  ];
}

/** Children of members that are dead. */
async function orphans({ world, dryRun }: Gc): Promise<Cleared[]> {
  const { home, clock } = world;
  const { teams } = await listTeams(home);
  const archived = (await listArchive(home)).map(({ team }) => team);
  const past = archived.filter(({ name }) => !teams.some((team) => isSameName(team.name, name)));
  const marks: Mark[] = [];
  for (const team of [...teams, ...past]) marks.push(...(await marksOfDead(world, team, !teams.includes(team))));
  const found = await markedWithAny(marks);
  if (!dryRun) await endMarkedWithAny(marks, clock);
  return found.map(({ process: { pid }, mark }) => ({
    what: 'process',
    name: String(pid),
    done: 'ended',
    why: `${mark.member}, who started it, is dead`,
  }));
}

/** Teams without a lead: those that hold nothing go to the archive. */
async function deadTeams(gc: Gc): Promise<Cleared[]> {
  const { teams, broken } = await listTeams(gc.world.home);
  const cleared: Cleared[] = broken.map(({ path, reason }) => ({
    what: 'team',
    name: path,
    done: 'kept',
    why: reason,
  }));
  for (const team of teams) {
    if (team.leadProcess && (await isAlive(team.leadProcess))) continue;
    const why = await reasonToKeep(gc, team);
    if (why !== undefined) {
      cleared.push({ what: 'team', name: team.name, done: 'kept', why });
      continue;
    }
    const failure = gc.dryRun ? undefined : await putAway(gc, team).catch(messageOf);
    cleared.push({
      what: 'team',
      name: team.name,
      done: failure === undefined ? 'archived' : 'kept',
      why: failure ?? 'it has no lead and holds nothing',
    });
  }
  return cleared;
}

async function reasonToKeep({ world }: Gc, team: TeamFile): Promise<string | undefined> {
  const holdings = await holdingsOf(world.home, team);
  if (holdings.length > 0)
    return `it holds ${holdings.join(', ')}; go on with it: troupe resume ${team.name}; or end it: troupe down ${team.name}`;
  for (const { name } of team.members)
    if (await livingRecord(placeOf(world, team.name), name)) return `${name} still lives`;
  return undefined;
}

/** Taken over first, so that nobody comes back to it meanwhile. */
async function putAway({ world }: Gc, { name }: TeamFile): Promise<undefined> {
  const team = await takeOver(placeOf(world, name));
  await archiveTeam(world.home, name, world.clock);
  const panes = recordedBackend(world, team);
  await panes?.restoreWindow();
  await panes?.closeServer();
  return undefined;
}

/** Of teams that are kept. */
async function deadServers({ world, dryRun }: Gc): Promise<Cleared[]> {
  const teams = await teamsWithDeadServers(world);
  if (!dryRun) await closeDeadServers(world);
  const why = 'nobody of its team lives any more';
  return teams.map(({ name }) => ({ what: 'server', name: `tmux of ${name}`, done: 'ended', why }));
}

/** Of teams whose folders somebody has removed: nothing on disk leads to them any more. */
async function strayServers({ world, dryRun }: Gc): Promise<Cleared[]> {
  const { home, run } = world;
  const cleared: Cleared[] = [];
  for (const { team, facts, alive } of await ownServers({ home: home.root, run, environment: world.environment() })) {
    if (existsSync(home.team(team).root)) continue;
    const isOver = alive.length === 0;
    if (isOver && !dryRun) await backendOn(world, facts, { team }).closeServer();
    const why = isOver
      ? 'the folder of its team is gone'
      : `${alive.join(', ')} still lives, and leaves by itself soon`;
    cleared.push({ what: 'server', name: `tmux of ${team}`, done: isOver ? 'ended' : 'kept', why });
  }
  return cleared;
}

async function oldArchives({ world, dryRun, before }: Gc): Promise<Cleared[]> {
  const cleared: Cleared[] = [];
  for (const { path, archivedAt } of await listArchive(world.home)) {
    if (archivedAt >= before) continue;
    if (!dryRun) await rm(path, { recursive: true, force: true });
    cleared.push({ what: 'archive', name: path, done: 'removed', why: 'it is past its time (cleanupPeriodDays)' });
  }
  return cleared;
}

/** Sessions that no team refers to, archived ones counted, once their time is over. */
async function oldSessions({ world, dryRun, before }: Gc): Promise<Cleared[]> {
  const { home } = world;
  const { teams, broken } = await listTeams(home);
  if (broken.length > 0) return [];
  const archived = (await listArchive(home)).filter(({ archivedAt }) => !dryRun || archivedAt >= before);
  const known = new Set(
    [...teams, ...archived.map(({ team }) => team)].flatMap(({ leadSessionId, members }) => [
      leadSessionId,
      ...members.map(({ sessionId }) => sessionId),
    ]),
  );
  const cleared: Cleared[] = [];
  for (const id of await namesIn(home.sessions)) {
    const { root, transcript } = home.session(id);
    if (known.has(id) || (await changedAt(existsSync(transcript) ? transcript : root)) >= before) continue;
    if (!dryRun) await rm(root, { recursive: true, force: true });
    cleared.push({ what: 'session', name: id, done: 'removed', why: 'no team refers to it, and it is past its time' });
  }
  return cleared;
}

async function worktrees({ world, dryRun }: Gc): Promise<Cleared[]> {
  return (await pruneTeamWorktrees(world, { dryRun })).map(({ path, removed, keptFor = '' }) => ({
    what: 'worktree',
    name: path,
    done: removed ? 'removed' : 'kept',
    why: removed ? 'it holds nothing, and nobody comes back to it' : keptFor,
  }));
}

/** Locks that nobody holds, sockets of tmux servers that are gone, and what was noted of a service's refusals long ago. */
async function leftovers({ world, dryRun }: Gc): Promise<Cleared[]> {
  const { home, clock } = world;
  const now = clock.now();
  const { teams } = await listTeams(home);
  const archived = (await listArchive(home)).map(({ team }) => team);
  const cleared: Cleared[] = [];
  const remove = async (what: Cleared['what'], path: string, why: string) => {
    if (!dryRun) await rm(path, { recursive: true, force: true });
    cleared.push({ what, name: path, done: 'removed', why });
  };
  for (const path of await staleLocks(home.teams, now)) await remove('lock', path, 'nobody holds it any more');
  const inUse = new Set(await livingSockets([...teams, ...archived]));
  for (const path of new Set(
    [...teams, ...archived].flatMap(({ tmux }) => (tmux?.ownsServer ? [tmux.socketPath] : [])),
  ))
    if (existsSync(path) && !inUse.has(path)) await remove('socket', path, 'its tmux server is gone');
  for (const name of await namesIn(home.traffic)) {
    const path = join(home.traffic, name);
    if (name.endsWith('.json') && now - (await changedAt(path)) > DAY_MS)
      await remove('traffic', path, 'it is more than a day old');
  }
  return cleared;
}

async function livingSockets(teams: readonly TeamFile[]): Promise<string[]> {
  const sockets: string[] = [];
  for (const { tmux } of teams)
    if (tmux && (await isAlive({ pid: tmux.serverPid, procStart: tmux.serverStart }))) sockets.push(tmux.socketPath);
  return sockets;
}

const namesIn = (folder: string) => readdir(folder).catch((): string[] => []);

/** Milliseconds since the epoch; 0 where it is gone. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}
