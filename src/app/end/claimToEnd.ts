import { isAlive, type ProcessRef, sendSignal, thisProcess } from '../../host/processes.js';
import { findMember, LEAD } from '../../team/member.js';
import { livingRecord } from '../../team/shutdown.js';
import { patienceWithStarters } from '../../team/start/starters.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { placeOf, type World } from '../services.js';

export interface TeamToEnd {
  readonly team: TeamFile;
  /** Its lead, and whose team it was before. */
  readonly owners: readonly ProcessRef[];
}

export interface ClaimOptions {
  /** Whoever ends the team already is told to be quick. */
  readonly force?: boolean;
  readonly hurry?: AbortSignal | undefined;
  /** A line about what is waited for. */
  readonly progress?: (line: string) => void;
}

const LOOK_MS = 50;
/** How long an end may take that was told to be quick. */
const HURRIED_MS = 15_000;

/**
 * Makes a team this process's own, so that its lead and this one do not both end it. What is being started then would
 * outlive the end: it is waited for, and a start whose lead is not there yet is stopped. Returns nothing where the team
 * is gone then: the start has undone it, or another process that was ending it has put it away.
 */
export async function claimToEnd(
  world: World,
  name: string,
  options: ClaimOptions = {},
): Promise<TeamToEnd | undefined> {
  const { hurry } = options;
  const place = placeOf(world, name);
  const file = openTeamFile(place.paths.config);
  await othersEnd(world, name, options);
  if (!(await file.read())) return undefined;
  const owner = await claim(world, name);
  await startsToEnd(world, name, owner, hurry);
  if (!(await file.read())) return undefined;
  // A lead that came to be meanwhile has claimed the team as well.
  const late = await claim(world, name);
  const self = await thisProcess();
  const processes = await alive([await livingRecord(place, LEAD), owner, late]);
  const others = new Map(processes.filter(({ pid }) => pid !== self.pid).map((one) => [one.pid, one]));
  return { team: await file.require(), owners: [...others.values()] };
}

/** While another process takes the team down, that is its work: ended in its middle it would leave half of it. */
async function othersEnd(world: World, name: string, { force, hurry, progress }: ClaimOptions): Promise<void> {
  const { clock } = world;
  const file = openTeamFile(placeOf(world, name).paths.config);
  const self = await thisProcess();
  let toldAt: number | undefined;
  for (let look = 0; toldAt === undefined || clock.monotonic() - toldAt < HURRIED_MS; look++) {
    const owner = (await file.read())?.leadProcess;
    if (!owner?.ends || owner.pid === self.pid || !(await isAlive(owner))) return;
    if (look === 0) progress?.(`Process ${owner.pid} takes "${name}" down already: waiting for it.`);
    if (toldAt === undefined && (force || hurry?.aborted)) {
      toldAt = clock.monotonic();
      await sendSignal(owner, 'SIGTERM');
    }
    await clock.sleep(LOOK_MS);
  }
}

/** Returns whose it was. */
async function claim(world: World, name: string): Promise<ProcessRef | undefined> {
  const self = await thisProcess();
  let before: ProcessRef | undefined;
  await openTeamFile(placeOf(world, name).paths.config).update((team) => {
    before = team.leadProcess;
    return { ...team, leadProcess: { ...self, claimedAt: world.clock.now(), ends: true } };
  });
  return before;
}

/** Until nobody starts a member, and whoever did has either a lead that works or is gone. */
async function startsToEnd(
  world: World,
  name: string,
  owner: ProcessRef | undefined,
  hurry: AbortSignal | undefined,
): Promise<void> {
  const place = placeOf(world, name);
  const { clock } = world;
  const self = await thisProcess();
  const starters = new Map<number, ProcessRef>();
  const told = new Set<number>();
  const isOver = patienceWithStarters(clock, () => starters.values());
  while (!hurry?.aborted && !(await isOver())) {
    const team = await openTeamFile(place.paths.config).read();
    if (!team) return;
    const lead = await livingRecord(place, LEAD);
    const works = lead?.readyAt !== undefined;
    const starting = await alive(team.members.map(({ reservedBy }) => reservedBy));
    for (const one of [...starting, ...(works || !owner ? [] : [owner])])
      if (one.pid !== self.pid && one.pid !== lead?.pid) starters.set(one.pid, one);
    const isOver = starting.every(({ pid }) => pid === self.pid || pid === lead?.pid);
    if (isOver && (works || (await alive([...starters.values()])).length === 0)) return;
    const stopped = works ? undefined : starterOfLead(team, owner);
    if (stopped && starters.has(stopped.pid) && !told.has(stopped.pid)) {
      told.add(stopped.pid);
      await sendSignal(stopped, 'SIGTERM');
    }
    await clock.sleep(LOOK_MS);
  }
}

/** It undoes its start when it is told to stop. Before it has written anybody down the team is its own. */
function starterOfLead(team: TeamFile, owner: ProcessRef | undefined): ProcessRef | undefined {
  return team.members.length === 0 ? owner : findMember(team, LEAD)?.reservedBy;
}

async function alive(processes: readonly (ProcessRef | undefined)[]): Promise<ProcessRef[]> {
  const found: ProcessRef[] = [];
  for (const one of processes) if (one && (await isAlive(one))) found.push(one);
  return found;
}
